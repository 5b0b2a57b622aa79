#include "splitting.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "simd.hpp"

namespace wgb {
namespace {

// Gains that differ by less are equal: the order of summation, a weight of 2 instead of a row
// twice, must not choose between two features that part the rows in the same way.
constexpr float kTie = 2e-6f;
// What rounding in the sums alone can make of rows that are all equal, per row of the node.
constexpr float kRounding = 1e-14f;

struct Scan {
  const float* histogram;  // (bins + 1, width), the missing bin last
  int bins;
  const uint8_t* occupied;  // bins with rows, the only ones to be edges
  int n_occupied;
  const Layout* layout;
  const SplitRules* rules;
  const float* total;         // (width) sums of the whole node
  const float* is_direction;  // (block) 1 for a direction's lane, else 0
  float* scratch;             // (256 + kScratch, block)
};

// All bins there can be.
const std::array<uint8_t, 256> kBins = [] {
  std::array<uint8_t, 256> bins{};
  std::iota(bins.begin(), bins.end(), uint8_t(0));
  return bins;
}();

constexpr size_t kScratch = 6;  // vectors of a block that a scan of any width keeps in memory

struct Candidate {
  float gain = -1;
  int bin = -1;
};

// Lists the bins with rows in them without a branch: those of a small node cannot be predicted.
WGB_CLONES int list_occupied(const float* WGB_RESTRICT histogram, const uint8_t* WGB_RESTRICT listed,
                             int n_listed, size_t width, size_t count,
                             uint8_t* WGB_RESTRICT occupied) {
  int n = 0;
  for (int i = 0; i < n_listed; ++i) {
    occupied[n] = listed[i];
    n += histogram[listed[i] * width + count] > 0;
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

// Where the vectors of a scan live: B known lanes in registers, or (B = 0) any number in memory.
template <int B>
struct Lane {
  using Vec = typename Lanes<B>::Vec;
  static constexpr int vecs = Lanes<B>::count;
  Vec at[vecs];
  WGB_INLINE Lane(const Scan&, size_t) {}
};
template <>
struct Lane<0> {
  using Vec = Vec8;
  const int vecs;
  Vec* const at;
  WGB_INLINE Lane(const Scan& scan, size_t i)
      : vecs(scan.layout->block / 8),
        at(reinterpret_cast<Vec*>(scan.scratch +
                                  (256 + i) * static_cast<size_t>(scan.layout->block))) {}
};

enum class Mass { kCount, kShared, kEach };

// The best edge of one feature, missing values on a given side.
//
// For one output with sums G and mass C in all, G_l and C_l on the left, a = C_l + l2, b = C_r + l2:
//   gain = (a + b) / (a b) (G_l - a G / (a + b))^2 - G^2 l2 / ((C + l2) (C + 2 l2)),
// the same as the scores' difference but without their cancellation: an offset that all rows have
// in common hides nothing. Masses on the right are sums of their own, not what the left lacks, so
// a small side keeps its digits; counts are exact either way. An output without mass on one side
// scores there as nothing.
//
// B: lanes in the block of directions, 0 for any. Mass: the number of rows, one for all outputs, or
// one each.
template <int B, Mass M>
WGB_INLINE Candidate scan_feature(const Scan& scan, bool missing_left) {
  using Vec = typename Lane<B>::Vec;
  // Copied to locals, since the compiler cannot know that no store below changes them.
  const size_t width = static_cast<size_t>(scan.layout->width);
  const size_t block = static_cast<size_t>(scan.layout->block);
  const int bins = scan.bins, count = scan.layout->count, shared = scan.layout->shared;
  const float l2 = scan.rules->l2, least = scan.rules->min_samples_leaf;
  const float lightest = scan.layout->averages ? scan.rules->min_weight_leaf : 0.0f;
  const float* WGB_RESTRICT histogram = scan.histogram;
  float* WGB_RESTRICT right_mass = scan.scratch;  // (256), or (256, block) with one each
  const float* missing = histogram + static_cast<size_t>(bins) * width;
  const bool has_missing = missing[count] > 0;
  const uint8_t* WGB_RESTRICT occupied = scan.occupied;
  const int n_occupied = scan.n_occupied;
  // The rightmost one is an edge only with missing values beyond it.
  const int candidates = has_missing && !missing_left ? n_occupied : n_occupied - 1;
  if (candidates <= 0) return {};
  const auto bin = [&](int i) WGB_LAMBDA_INLINE { return histogram + occupied[i] * width; };

  Lane<B> left(scan, 0), left_mass(scan, 1), mean(scan, 2), whole_mass(scan, 3), total(scan, 4),
      mask(scan, 5);
  const int vecs = left.vecs;
  const auto load = [](const float* from, int v) WGB_LAMBDA_INLINE {
    Vec value;
    std::memcpy(&value, from + static_cast<size_t>(v) * (sizeof(Vec) / sizeof(float)), sizeof value);
    return value;
  };
  const float rows = scan.total[count];
  const float mass = M == Mass::kEach ? 0.0f : scan.total[shared];
  const float both = mass + 2 * l2;  // a + b
  float constant = 0, offset = 0;
  for (int v = 0; v < vecs; ++v) {
    total.at[v] = load(scan.total, v);
    mask.at[v] = load(scan.is_direction, v);
    left.at[v] = total.at[v] - total.at[v];
    if (M == Mass::kEach) {
      left_mass.at[v] = left.at[v];
      whole_mass.at[v] = load(scan.total + block, v);
      ratio_or_zero(total.at[v], whole_mass.at[v] + 2 * l2, mean.at[v]);
      const Vec square = total.at[v] * mean.at[v] * mask.at[v];
      Vec share;
      ratio_or_zero(square * l2, whole_mass.at[v] + l2, share);
      constant += sum_lanes(share);
      offset += sum_lanes(square);
    } else {
      mean.at[v] = total.at[v] * (both > 0 ? 1.0f / both : 0.0f);
      const float square = sum_lanes(total.at[v] * mean.at[v] * mask.at[v]);
      constant += mass + l2 > 0 ? square * l2 / (mass + l2) : 0.0f;
      offset += square;
    }
  }

  // Masses to the right of every candidate.
  if (M != Mass::kCount) {
    const bool with_missing = has_missing && !missing_left;
    if (M == Mass::kShared) {
      float sum = with_missing ? missing[shared] : 0.0f;
      for (int i = n_occupied - 1; i >= 0; --i) {
        right_mass[i] = sum;
        sum += bin(i)[shared];
      }
    } else {
      float* last = right_mass + static_cast<size_t>(n_occupied - 1) * block;
      std::memset(last, 0, block * sizeof(float));
      if (with_missing) std::memcpy(last, missing + block, block * sizeof(float));
      for (int i = n_occupied - 1; i >= 1; --i) {
        float* at = right_mass + static_cast<size_t>(i) * block;
        for (size_t l = 0; l < block; ++l) (at - block)[l] = at[l] + bin(i)[block + l];
      }
    }
  }

  float left_rows = 0, left_weight = 0;
  const auto add = [&](const float* from) WGB_LAMBDA_INLINE {
    for (int v = 0; v < vecs; ++v) left.at[v] += load(from, v);
    if (M == Mass::kEach)
      for (int v = 0; v < vecs; ++v) left_mass.at[v] += load(from + block, v);
    else
      left_weight += from[shared];
    left_rows += from[count];
  };
  if (has_missing && missing_left) add(missing);

  float gain[256];
  for (int i = 0; i < candidates; ++i) {
    add(bin(i));
    bool allowed = left_rows >= least && rows - left_rows >= least;
    Vec sum = left.at[0] - left.at[0];
    if (M == Mass::kEach) {
      const float* right = right_mass + static_cast<size_t>(i) * block;
      for (int v = 0; v < vecs; ++v) {
        const Vec a = left_mass.at[v] + l2, b = load(right, v) + l2;
        const Vec apart = left.at[v] - mean.at[v] * a;
        Vec inside, outside;
        ratio_or_zero((a + b) * apart * apart, a * b, inside);
        // Where one side has no mass, the other one's score against the whole one's.
        if (l2 == 0 && !scan.layout->mass_everywhere) {
          const Vec other = total.at[v] - left.at[v];
          const Vec square = total.at[v] * total.at[v];
          Vec on_left, on_right;
          ratio_or_zero(left.at[v] * left.at[v] - square, a, on_left);
          ratio_or_zero(other * other - square, b, on_right);
          outside = on_left + on_right;
          inside = choose_positive(a * b, inside, outside);
        }
        sum += inside * mask.at[v];
      }
      gain[i] = sum_lanes(sum) - constant;
    } else {
      const float a = left_weight + l2;
      const float right = M == Mass::kCount ? mass - left_weight : right_mass[i];
      const float b = right + l2;
      allowed = allowed && left_weight >= lightest && right >= lightest;
      for (int v = 0; v < vecs; ++v) {
        const Vec apart = left.at[v] - mean.at[v] * a;
        sum += apart * apart * mask.at[v];
      }
      gain[i] = a > 0 && b > 0 ? sum_lanes(sum) * (both / (a * b)) - constant : 0.0f;
    }
    gain[i] = allowed ? gain[i] : 0.0f;
  }
  const float rounding = kRounding * rows * offset;
  return first_of_best(gain, occupied, candidates, std::max(scan.rules->min_gain, rounding));
}

#define WGB_SCANNERS(B)                                                          \
  WGB_CLONES Candidate scan_count_##B(const Scan& scan, bool missing_left) {     \
    return scan_feature<B, Mass::kCount>(scan, missing_left);                    \
  }                                                                              \
  WGB_CLONES Candidate scan_shared_##B(const Scan& scan, bool missing_left) {    \
    return scan_feature<B, Mass::kShared>(scan, missing_left);                   \
  }                                                                              \
  WGB_CLONES Candidate scan_each_##B(const Scan& scan, bool missing_left) {      \
    return scan_feature<B, Mass::kEach>(scan, missing_left);                     \
  }
WGB_SCANNERS(2)
WGB_SCANNERS(4)
WGB_SCANNERS(8)
WGB_SCANNERS(16)
WGB_SCANNERS(24)
WGB_SCANNERS(32)
WGB_SCANNERS(0)
#undef WGB_SCANNERS

using Scanner = Candidate (*)(const Scan&, bool);

Scanner scanner_for(const Layout& layout) {
  const Mass mass = layout.shared < 0                 ? Mass::kEach
                    : layout.shared == layout.count ? Mass::kCount
                                                      : Mass::kShared;
#define WGB_PICK(B) \
  (mass == Mass::kCount ? scan_count_##B : mass == Mass::kShared ? scan_shared_##B : scan_each_##B)
  switch (layout.block) {
    case 2: return WGB_PICK(2);
    case 4: return WGB_PICK(4);
    case 8: return WGB_PICK(8);
    case 16: return WGB_PICK(16);
    case 24: return WGB_PICK(24);
    case 32: return WGB_PICK(32);
    default: return WGB_PICK(0);
  }
#undef WGB_PICK
}

// Turns a scan of categories into one of their histogram rows in order, followed by the missing one,
// and returns whether they differ by more than chance explains.
bool sort_categories(Scan& scan, const CategoryRules& categories, float signal, uint8_t* order,
                     double* memory, float* sorted) {
  const size_t width = static_cast<size_t>(scan.layout->width);
  const int n = order_categories(scan.histogram, scan.bins, *scan.layout, scan.total,
                                 categories.smooth, memory, order);
  for (int i = 0; i <= n; ++i)
    std::memcpy(sorted + static_cast<size_t>(i) * width,
                scan.histogram + static_cast<size_t>(i < n ? order[i] : scan.bins) * width,
                width * sizeof(float));
  scan.histogram = sorted;
  scan.bins = n;
  const float penalty = scan.rules->cat_penalty;
  return penalty == 0 || shrink_categories(sorted, n, *scan.layout, scan.total,
                                           *categories.scatter, categories.reference, penalty, signal);
}

WGB_CLONES void add_bins(const float* WGB_RESTRICT histogram, const uint8_t* bins, int n,
                         size_t width, float* WGB_RESTRICT total) {
  if (width == 8) {
    for (int i = 0; i < n; ++i)
      for (size_t l = 0; l < 8; ++l) total[l] += histogram[bins[i] * 8u + l];
    return;
  }
  for (int i = 0; i < n; ++i)
    for (size_t l = 0; l < width; ++l) total[l] += histogram[bins[i] * width + l];
}

std::shared_ptr<const CategorySplit> parted(const uint8_t* order, int n_left, int n) {
  const auto split = std::make_shared<CategorySplit>();
  for (int i = 0; i < n; ++i) {
    split->seen.add(order[i]);
    if (i < n_left) split->left.add(order[i]);
  }
  return split;
}

}  // namespace

void node_totals(const Columns& columns, const Layout& layout, const float* histogram,
                 const BinLists& listed, float* total) {
  const size_t width = static_cast<size_t>(layout.width);
  // Of the feature with the fewest bins, whichever are searched: all threads have to agree.
  std::fill_n(total, width, 0.0f);
  const size_t shortest = static_cast<size_t>(
      std::min_element(columns.bins.begin(), columns.bins.end()) - columns.bins.begin());
  const int f = static_cast<int>(shortest);
  const float* from = histogram + columns.offset[shortest] * width;
  const uint8_t* bins = listed.of(columns, f);
  add_bins(from, bins, listed.size(f), width, total);
  const float* missing = from + static_cast<size_t>(columns.bins[shortest]) * width;
  for (size_t l = 0; l < width; ++l) total[l] += missing[l];
}

void best_splits(const Columns& columns, const Layout& layout, const SplitRules& rules,
                 const float* histogram, const BinLists& listed, const CategoryRules& categories,
                 int first, int last, Split* splits, BinLists* occupied, Workspace& workspace,
                 const HeldNode* held) {
  const size_t block = static_cast<size_t>(layout.block), width = static_cast<size_t>(layout.width);
  const size_t own = ((256 + kScratch) * block + block + width + 15) / 16 * 16;
  const size_t for_order = 2 * category_memory(layout), for_sorted = 256 * width;  // in floats
  const bool rewrites = held || columns.any_categorical();
  const Lease memory = workspace.floats(own + (rewrites ? for_order + for_sorted : 0));
  float *scratch = memory.floats(), *is_direction = scratch + (256 + kScratch) * block,
        *total = is_direction + block;
  std::fill_n(is_direction, block, 0.0f);
  std::fill_n(is_direction, layout.k, 1.0f);
  node_totals(columns, layout, histogram, listed, total);
  const Scanner scanner = scanner_for(layout);
  for (int f = first; f < last; ++f) {
    Scan scan{histogram + columns.offset[f] * width, columns.bins[f], nullptr, 0, &layout, &rules,
              total, is_direction, scratch};
    uint8_t order[256], own_list[256];
    const bool needs_all = held || columns.categorical[f];
    uint8_t* list = needs_all ? own_list : occupied->of(columns, f);
    if (needs_all)
      occupied->set_all(columns, f);
    float* rewritten = memory.floats() + own + for_order;
    splits[f] = Split();
    if (columns.categorical[f] &&
        !sort_categories(scan, categories, columns.signal[f], order,
                         reinterpret_cast<double*>(memory.floats() + own), rewritten))
      continue;
    const auto find_occupied = [&](Scan& it) {
      const uint8_t* from = needs_all ? kBins.data() : listed.of(columns, f);
      it.occupied = list;
      it.n_occupied = list_occupied(it.histogram, from, needs_all ? it.bins : listed.size(f), width,
                                    static_cast<size_t>(layout.count), list);
    };
    find_occupied(scan);
    if (!needs_all) occupied->set_size(f, scan.n_occupied);
    const bool saw_missing =
        scan.histogram[static_cast<size_t>(scan.bins) * width + layout.count] > 0;
    Split& best = splits[f];
    for (const bool missing_left : {false, true}) {
      if (missing_left && !saw_missing) break;
      Scan side = scan;
      if (held && held->outputs->sign(f) != 0) {
        side.histogram = held->outputs->allowed(f, scan.histogram, total, held->histogram,
                                                *held->bounds, missing_left, rewritten);
        find_occupied(side);
      }
      const Candidate candidate = scanner(side, missing_left);
      if (candidate.bin >= 0 && candidate.gain * (1 - kTie) > best.gain)
        best = {candidate.gain, f, candidate.bin, missing_left, saw_missing, nullptr};
    }
    if (columns.categorical[f] && best.found())
      best.categories = parted(order, best.bin + 1, scan.bins);
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
