#include "histogram.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "simd.hpp"

namespace wgb {
namespace {

// Rows taken through the features, a few at a time: their lanes stay in the cache.
constexpr size_t kRowsPerPass = 2048;
constexpr size_t kPrefetch = 16;  // rows ahead

struct Pass {
  const uint8_t* const* column;  // codes of the features
  float* const* histogram;       // and where their sums begin
  const float* lanes;            // (rows, width), one behind the other
  size_t width;
  const uint32_t* rows;          // data rows, or null: from `first` on
  size_t first, n;
};

// W lanes in registers while they are added to F features.
template <int W, int F>
WGB_INLINE void add_rows(const Pass& pass, int at) {
  using Vec = typename Lanes<W>::Vec;
  constexpr int kVecs = Lanes<W>::count;
  const uint8_t* column[F];
  Vec* start[F];
  for (int f = 0; f < F; ++f) {
    column[f] = pass.column[at + f];
    start[f] = reinterpret_cast<Vec*>(pass.histogram[at + f]);
  }
  const Vec* lanes = reinterpret_cast<const Vec*>(pass.lanes);
  for (size_t i = 0; i < pass.n; ++i) {
    const size_t row = pass.rows ? pass.rows[i] : pass.first + i;
    Vec value[kVecs];
    for (int v = 0; v < kVecs; ++v) value[v] = lanes[i * kVecs + v];
    for (int f = 0; f < F; ++f) {
      Vec* h = start[f] + static_cast<size_t>(column[f][row]) * kVecs;
      for (int v = 0; v < kVecs; ++v) h[v] += value[v];
    }
  }
}

template <int W>
WGB_INLINE void add_features(const Pass& pass, int n_features) {
  int f = 0;
  for (; f + 4 <= n_features; f += 4) add_rows<W, 4>(pass, f);
  for (; f + 2 <= n_features; f += 2) add_rows<W, 2>(pass, f);
  if (f < n_features) add_rows<W, 1>(pass, f);
}

// Any multiple of 8 lanes.
WGB_INLINE void add_features_generic(const Pass& pass, int n_features) {
  const size_t vecs = pass.width / 8;
  const Vec8* lanes = reinterpret_cast<const Vec8*>(pass.lanes);
  for (int f = 0; f < n_features; ++f)
    for (size_t i = 0; i < pass.n; ++i) {
      const size_t row = pass.rows ? pass.rows[i] : pass.first + i;
      Vec8* h = reinterpret_cast<Vec8*>(pass.histogram[f]) + pass.column[f][row] * vecs;
      for (size_t v = 0; v < vecs; ++v) h[v] += lanes[i * vecs + v];
    }
}

WGB_CLONES void add_2(const Pass& pass, int n) { add_features<2>(pass, n); }
WGB_CLONES void add_4(const Pass& pass, int n) { add_features<4>(pass, n); }
WGB_CLONES void add_8(const Pass& pass, int n) { add_features<8>(pass, n); }
WGB_CLONES void add_16(const Pass& pass, int n) { add_features<16>(pass, n); }
WGB_CLONES void add_24(const Pass& pass, int n) { add_features<24>(pass, n); }
WGB_CLONES void add_32(const Pass& pass, int n) { add_features<32>(pass, n); }
WGB_CLONES void add_48(const Pass& pass, int n) { add_features<48>(pass, n); }
WGB_CLONES void add_any(const Pass& pass, int n) { add_features_generic(pass, n); }

void add_pass(const Pass& pass, int n_features) {
  switch (pass.width) {
    case 2: return add_2(pass, n_features);
    case 4: return add_4(pass, n_features);
    case 8: return add_8(pass, n_features);
    case 16: return add_16(pass, n_features);
    case 24: return add_24(pass, n_features);
    case 32: return add_32(pass, n_features);
    case 48: return add_48(pass, n_features);
    default: return add_any(pass, n_features);
  }
}

// Scattered rows are brought together first, with an eye ahead: the passes then read in sequence.
template <class Vec>
WGB_INLINE void gather(const float* lanes, size_t vecs, const uint32_t* rows, size_t n,
                       float* out) {
  const Vec* from = reinterpret_cast<const Vec*>(lanes);
  Vec* to = reinterpret_cast<Vec*>(out);
  for (size_t i = 0; i < n; ++i) {
    if (i + kPrefetch < n) {
      const Vec* ahead = from + rows[i + kPrefetch] * vecs;
      WGB_PREFETCH(ahead);
      if (vecs > 1) WGB_PREFETCH(ahead + vecs - 1);
    }
    for (size_t v = 0; v < vecs; ++v) to[i * vecs + v] = from[rows[i] * vecs + v];
  }
}

WGB_CLONES void gather_rows(const float* lanes, size_t width, const uint32_t* rows, size_t n,
                            float* out) {
  if (width == 2)
    gather<Vec2>(lanes, 1, rows, n, out);
  else if (width == 4)
    gather<Vec4>(lanes, 1, rows, n, out);
  else
    gather<Vec8>(lanes, width / 8, rows, n, out);
}

WGB_INLINE void subtract_row(const float* WGB_RESTRICT small, float* WGB_RESTRICT large,
                             size_t width, size_t count) {
  if (small[count] == 0) return;
  for (size_t l = 0; l < width; ++l) large[l] -= small[l];
}

WGB_CLONES void subtract_bins(const float* small, float* large, const uint8_t* listed, int n,
                              size_t missing, size_t width, size_t count) {
  if (width == 8) {  // the usual case: one vector
    for (int i = 0; i < n; ++i) subtract_row(small + listed[i] * 8u, large + listed[i] * 8u, 8, count);
  } else {
    for (int i = 0; i < n; ++i)
      subtract_row(small + listed[i] * width, large + listed[i] * width, width, count);
  }
  subtract_row(small + missing * width, large + missing * width, width, count);
}

WGB_CLONES void clear_bins(float* histogram, const uint8_t* listed, int n, size_t missing,
                           size_t width) {
  if (width == 8) {
    for (int i = 0; i < n; ++i) std::fill_n(histogram + listed[i] * 8u, 8, 0.0f);
  } else {
    for (int i = 0; i < n; ++i) std::fill_n(histogram + listed[i] * width, width, 0.0f);
  }
  std::fill_n(histogram + missing * width, width, 0.0f);
}

void clear_listed(const Columns& columns, const BinLists& listed, size_t width, float* histogram) {
  for (int f = 0; f < columns.size(); ++f)
    clear_bins(histogram + columns.offset[f] * width, listed.of(columns, f), listed.size(f),
               static_cast<size_t>(columns.bins[f]), width);
}

}  // namespace

BinLists BinLists::all(const Columns& columns) {
  BinLists lists(columns);
  for (int f = 0; f < columns.size(); ++f) lists.set_all(columns, f);
  return lists;
}

void BinLists::set_all(const Columns& columns, int f) {
  std::iota(of(columns, f), of(columns, f) + columns.bins[f], uint8_t(0));
  set_size(f, columns.bins[f]);
}

WGB_CLONES void add_floats(const float* from, float* to, size_t n) {
  const float* WGB_RESTRICT in = from;
  float* WGB_RESTRICT out = to;
  for (size_t i = 0; i < n; ++i) out[i] += in[i];
}

void add_to_histogram(const Columns& columns, const float* lanes, int width, const uint32_t* rows,
                      size_t from, size_t n, int first, int last, float* histogram) {
  const size_t w = static_cast<size_t>(width);
  std::vector<const uint8_t*> column;
  std::vector<float*> start;
  for (int f = first; f < last; ++f) {
    column.push_back(columns.column(f));
    start.push_back(histogram + columns.offset[f] * w);
  }
  for (size_t i = 0; i < n; i += kRowsPerPass)
    add_pass({column.data(), start.data(), lanes + i * w, w, rows ? rows + i : nullptr, from + i,
              std::min(n - i, kRowsPerPass)},
             last - first);
}

void build_histogram(const Columns& columns, const BinLists& listed, const float* lanes, int width,
                     const uint32_t* order, size_t begin, size_t end, float* histogram, Team& team,
                     Workspace& workspace) {
  const size_t w = static_cast<size_t>(width), floats = columns.rows() * w;
  // Every feature is summed in the order of the rows, whoever does it and in whatever steps.
  const int p = columns.size(), pieces = std::min(p, team.size());
  const auto add = [&](const float* from, const uint32_t* rows, size_t first, size_t n,
                       float* out) {
    team.run(pieces, [&](int piece) {
      add_to_histogram(columns, from, width, rows, first, n, part(p, piece, pieces),
                       part(p, piece + 1, pieces), out);
    });
  };
  const size_t step = team.size() == 1 ? kRowsPerPass : 4 * kRowsPerPass;
  Lease partial, gathered;
  if (end - begin > kRowsPerPartial) partial = workspace.floats(floats);
  if (order) gathered = workspace.floats(step * w);
  if (partial)
    std::memset(histogram, 0, floats * sizeof(float));
  else
    clear_listed(columns, listed, w, histogram);
  for (size_t from = begin; from < end; from += kRowsPerPartial) {
    const size_t to = std::min(end, from + kRowsPerPartial);
    float* out = partial ? partial.floats() : histogram;
    if (partial) std::memset(out, 0, floats * sizeof(float));
    if (!order) add(lanes + from * w, nullptr, from, to - from, out);
    for (size_t at = from; order && at < to; at += step) {
      const size_t n = std::min(to - at, step);
      team.run_ranges(n, kRowsPerPass, [&](size_t a, size_t b) {
        gather_rows(lanes, w, order + at + a, b - a, gathered.floats() + a * w);
      });
      add(gathered.floats(), order + at, 0, n, out);
    }
    if (partial) add_floats(out, histogram, floats);
  }
}

void subtract_histogram(const Columns& columns, const Layout& layout, const BinLists& listed,
                        int first, int last, const float* small, float* large) {
  const size_t w = static_cast<size_t>(layout.width), count = static_cast<size_t>(layout.count);
  for (int f = first; f < last; ++f) {
    const size_t at = columns.offset[f] * w;
    subtract_bins(small + at, large + at, listed.of(columns, f), listed.size(f),
                  static_cast<size_t>(columns.bins[f]), w, count);
  }
}

}  // namespace wgb
