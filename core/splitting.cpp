#include "splitting.hpp"

#include <algorithm>
#include <cstring>

#include "simd.hpp"

namespace wgb {
namespace {

// A gain below this share of the scores it is the difference of is rounding, not structure.
constexpr float kResolution = 1e-6f;
// The same for plain averages, where only the sums are rounded: per row of the node.
constexpr float kRounding = 1e-14f;
// Gains that differ by less are equal: the order of summation, a weight of 2 instead of a row
// twice, must not choose between two features that part the rows in the same way.
constexpr float kTie = 2e-6f;

struct Scan {
  const float* histogram;  // (bins + 1, width), the missing bin last
  int bins;
  const Layout* layout;
  const SplitRules* rules;
  const float* is_direction;  // (block) 1 for a direction's lane, else 0
  float* right_score;         // (bins) scratch
  float* sums;                // (width) scratch, for widths not known at compile time
  const float* total;         // (width) sums of the whole node
};

struct Candidate {
  float gain = -1;
  int bin = -1;
};

// Bins with rows in them, the only ones to be edges, listed without a branch: which bins of a
// small node are empty is anybody's guess.
WGB_INLINE int list_occupied(const float* WGB_RESTRICT histogram, int bins, size_t width,
                             int count, uint8_t* WGB_RESTRICT occupied) {
  int n = 0;
  for (int b = 0; b < bins; ++b) {
    occupied[n] = static_cast<uint8_t>(b);
    n += histogram[static_cast<size_t>(b) * width + static_cast<size_t>(count)] > 0;
  }
  return n;
}

// The first of the gains that equal the largest, if that is more than `least`.
WGB_INLINE Candidate first_of_best(const float* gain, const uint8_t* bin, int n, float least) {
  float best = least;
  for (int i = 0; i < n; ++i) best = gain[i] > best ? gain[i] : best;
  if (!(best > least)) return {};
  int i = 0;
  while (!(gain[i] >= best * (1 - kTie))) ++i;
  return {gain[i], bin[i]};
}

// The lanes of one side's sums: B known lanes in registers, or (B = 0) any number in memory.
template <int B, bool Shared>
struct SideSums {
  using Vec = typename Lanes<B>::Vec;
  static constexpr int vecs = Lanes<B>::count;
  Vec sums[Shared ? vecs : 2 * vecs];
  WGB_INLINE explicit SideSums(const Scan&) {}
};
template <bool Shared>
struct SideSums<0, Shared> {
  using Vec = Vec8;
  const int vecs;
  Vec* const sums;
  WGB_INLINE explicit SideSums(const Scan& scan)
      : vecs(scan.layout->block / 8), sums(reinterpret_cast<Vec*>(scan.sums)) {}
};

// One feature, missing values on a given side. Left sums run from the first bin up, right sums
// from the last bin down: neither is a difference, so a small side keeps its digits.
// B is the number of lanes in the block of directions, 0: any. Shared: one denominator for all
// outputs, else one for each.
template <int B, bool Shared>
WGB_INLINE Candidate scan_feature(const Scan& scan, bool missing_left) {
  // Copied to locals, since the compiler cannot know that no store below changes them.
  const size_t width = static_cast<size_t>(scan.layout->width);
  const int bins = scan.bins, count = scan.layout->count, shared = Shared ? scan.layout->shared : 0;
  const float l2 = scan.rules->l2, least = scan.rules->min_samples_leaf;
  const float* WGB_RESTRICT histogram = scan.histogram;
  float* WGB_RESTRICT right_score = scan.right_score;

  SideSums<B, Shared> side(scan);
  using Vec = typename SideSums<B, Shared>::Vec;
  const Vec* WGB_RESTRICT mask = reinterpret_cast<const Vec*>(scan.is_direction);
  float rows = 0, denominator = 0;
  // Without a shared denominator its sum stays 0 and asks for nothing.
  const float lightest = Shared && scan.layout->averages ? scan.rules->min_weight_leaf : 0.0f;
  const auto clear = [&]() WGB_LAMBDA_INLINE {
    for (int v = 0; v < (Shared ? side.vecs : 2 * side.vecs); ++v)
      std::memset(&side.sums[v], 0, sizeof(Vec));
    rows = denominator = 0;
  };
  const auto add = [&](const float* bin) WGB_LAMBDA_INLINE {
    const Vec* from = reinterpret_cast<const Vec*>(bin);
    for (int v = 0; v < (Shared ? side.vecs : 2 * side.vecs); ++v) side.sums[v] += from[v];
    rows += bin[count];
    if (Shared) denominator += bin[shared];
  };
  // Sum over outputs of G^2 / (C + l2). Outputs without any mass count for nothing.
  const auto score = [&]() WGB_LAMBDA_INLINE -> float {
    if constexpr (Shared) {
      Vec q = side.sums[0] * side.sums[0] * mask[0];
      for (int v = 1; v < side.vecs; ++v) q += side.sums[v] * side.sums[v] * mask[v];
      return denominator + l2 > 0 ? sum_lanes(q) / (denominator + l2) : 0.0f;
    } else {
      Vec q, part;
      ratio_or_zero<Vec>(side.sums[0] * side.sums[0] * mask[0], side.sums[side.vecs] + l2, q);
      for (int v = 1; v < side.vecs; ++v) {
        ratio_or_zero<Vec>(side.sums[v] * side.sums[v] * mask[v], side.sums[side.vecs + v] + l2,
                           part);
        q += part;
      }
      return sum_lanes(q);
    }
  };

  const float* missing = histogram + static_cast<size_t>(bins) * width;
  const bool has_missing = missing[count] > 0;
  // With missing values alone on the right the last bin is an edge too.
  const int edges = has_missing && !missing_left ? bins : bins - 1;
  if (edges <= 0) return {};

  uint8_t occupied[256];
  const int n_occupied = list_occupied(histogram, bins, width, count, occupied);

  clear();
  float right = 0;
  if (edges == bins) {
    add(missing);
    right = score();
  }
  for (int i = n_occupied - 1; i >= 0; --i) {
    right_score[i] = right;
    add(histogram + occupied[i] * width);
    right = score();
  }
  if (has_missing && missing_left) add(missing);
  const float whole = score(), all_rows = rows, all_weight = denominator;

  clear();
  if (has_missing && missing_left) add(missing);
  // The rightmost one is an edge only with something beyond it.
  const int candidates = edges == bins ? n_occupied : n_occupied - 1;
  float gain[256];
  for (int i = 0; i < candidates; ++i) {
    add(histogram + occupied[i] * width);
    const bool allowed = rows >= least && all_rows - rows >= least && denominator >= lightest &&
                         all_weight - denominator >= lightest;
    const float both = score() + right_score[i];
    gain[i] = allowed && both - whole > kResolution * both ? both - whole : 0.0f;
  }
  return first_of_best(gain, occupied, candidates, scan.rules->min_gain);
}

// The usual case, averages without l2. The gain of a split is then w / (a b) |G - a mean|^2 for a
// weight a on the left with sums G and b on the right of w in all, which needs no difference of
// large scores: a common offset of the node hides nothing.
template <int B>
WGB_INLINE Candidate scan_plain(const Scan& scan, bool missing_left) {
  using Vec = typename Lanes<B>::Vec;
  constexpr int kVecs = Lanes<B>::count;
  const int bins = scan.bins, count = scan.layout->count, shared = scan.layout->shared;
  const float least = scan.rules->min_samples_leaf, lightest = scan.rules->min_weight_leaf;
  const float* WGB_RESTRICT histogram = scan.histogram;
  const float* missing = histogram + static_cast<size_t>(bins) * B;
  const bool has_missing = missing[count] > 0;
  uint8_t occupied[256];
  const int n_occupied = list_occupied(histogram, bins, B, count, occupied);

  const float rows = scan.total[count], weight = scan.total[shared];
  Vec mask[kVecs], mean[kVecs], left[kVecs];
  std::memcpy(mask, scan.is_direction, sizeof mask);
  std::memcpy(mean, scan.total, sizeof mean);
  std::memset(left, 0, sizeof left);
  Vec square = left[0];
  for (int v = 0; v < kVecs; ++v) {
    mean[v] = mean[v] * (1.0f / weight);
    square += mean[v] * mean[v] * mask[v];
  }
  float left_rows = 0, left_weight = 0;
  const auto add = [&](const float* bin) WGB_LAMBDA_INLINE {
    const Vec* from = reinterpret_cast<const Vec*>(bin);
    for (int v = 0; v < kVecs; ++v) left[v] += from[v];
    left_rows += bin[count];
    left_weight += bin[shared];
  };

  if (has_missing && missing_left) add(missing);
  // The rightmost one is an edge only with missing values beyond it.
  const int candidates = has_missing && !missing_left ? n_occupied : n_occupied - 1;
  float gain[256];
  for (int i = 0; i < candidates; ++i) {
    add(histogram + static_cast<size_t>(occupied[i]) * B);
    const float right_weight = weight - left_weight;
    const bool allowed = left_rows >= least && rows - left_rows >= least &&
                         left_weight >= lightest && right_weight >= lightest && right_weight > 0;
    Vec apart = left[0] - mean[0] * left_weight;
    Vec both = apart * apart * mask[0];
    for (int v = 1; v < kVecs; ++v) {
      apart = left[v] - mean[v] * left_weight;
      both += apart * apart * mask[v];
    }
    const float factor = weight / (left_weight * right_weight);
    gain[i] = allowed ? sum_lanes(both) * factor : 0.0f;
  }
  // What rounding in the sums alone can make of rows that are all equal.
  const float rounding = kRounding * rows * weight * sum_lanes(square);
  return first_of_best(gain, occupied, candidates, std::max(scan.rules->min_gain, rounding));
}

#define WGB_SCANNERS(B)                                                         \
  WGB_CLONES Candidate scan_plain_##B(const Scan& scan, bool missing_left) {  \
    return scan_plain<B>(scan, missing_left);                                 \
  }                                                                             \
  WGB_CLONES Candidate scan_shared_##B(const Scan& scan, bool missing_left) {   \
    return scan_feature<B, true>(scan, missing_left);                           \
  }                                                                             \
  WGB_CLONES Candidate scan_each_##B(const Scan& scan, bool missing_left) {     \
    return scan_feature<B, false>(scan, missing_left);                          \
  }
WGB_SCANNERS(2)
WGB_SCANNERS(4)
WGB_SCANNERS(8)
WGB_SCANNERS(16)
WGB_SCANNERS(24)
WGB_SCANNERS(32)
#undef WGB_SCANNERS
WGB_CLONES Candidate scan_shared_any(const Scan& scan, bool missing_left) {
  return scan_feature<0, true>(scan, missing_left);
}
WGB_CLONES Candidate scan_each_any(const Scan& scan, bool missing_left) {
  return scan_feature<0, false>(scan, missing_left);
}

using Scanner = Candidate (*)(const Scan&, bool);

Scanner scanner_for(const Layout& layout, const SplitRules& rules) {
  const bool shared = layout.shared >= 0;
  const bool plain = layout.averages && rules.l2 == 0;
#define WGB_CASE(B) \
  case B: return plain ? scan_plain_##B : shared ? scan_shared_##B : scan_each_##B;
  switch (layout.block) {
    WGB_CASE(2)
    WGB_CASE(4)
    WGB_CASE(8)
    WGB_CASE(16)
    WGB_CASE(24)
    WGB_CASE(32)
    default: return shared ? scan_shared_any : scan_each_any;
  }
#undef WGB_CASE
}

}  // namespace

void best_splits(const Columns& columns, const Layout& layout, const SplitRules& rules,
                 const float* histogram, int first, int last, Split* splits,
                 Workspace& workspace) {
  // Vectors are read from these: aligned like the histogram.
  const size_t block = static_cast<size_t>(layout.block), width = static_cast<size_t>(layout.width);
  const Lease memory = workspace.floats(block + 2 * width);
  float *is_direction = memory.floats(), *sums = is_direction + block, *total = sums + width;
  std::fill_n(is_direction, block, 0.0f);
  std::fill_n(is_direction, layout.k, 1.0f);
  // Of the feature with the fewest bins, whichever are searched here: all threads have to agree.
  std::fill_n(total, width, 0.0f);
  const size_t shortest = static_cast<size_t>(
      std::min_element(columns.bins.begin(), columns.bins.end()) - columns.bins.begin());
  for (size_t row = columns.offset[shortest]; row < columns.offset[shortest + 1]; ++row)
    for (size_t l = 0; l < width; ++l) total[l] += histogram[row * width + l];
  const Scanner scanner = scanner_for(layout, rules);
  float right_score[256];
  for (int f = first; f < last; ++f) {
    const Scan scan{histogram + columns.offset[f] * width, columns.bins[f], &layout, &rules,
                    is_direction, right_score, sums, total};
    const bool saw_missing =
        scan.histogram[static_cast<size_t>(scan.bins) * width + layout.count] > 0;
    Split& best = splits[f] = Split();
    for (const bool missing_left : {false, true}) {
      if (missing_left && !saw_missing) break;
      const Candidate candidate = scanner(scan, missing_left);
      if (candidate.bin >= 0 && candidate.gain * (1 - kTie) > best.gain)
        best = {candidate.gain, f, candidate.bin, missing_left, saw_missing};
    }
  }
}

Split first_best(const std::vector<Split>& splits) {
  float best = 0;
  for (const Split& split : splits)
    if (split.found()) best = std::max(best, split.gain);
  for (const Split& split : splits)
    if (split.found() && split.gain >= best * (1 - kTie)) return split;
  return {};
}

}  // namespace wgb
