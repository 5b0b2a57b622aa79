// The Python face of the core: ranges of training rows.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "nearest.hpp"
#include "tree_table.hpp"

void append_ranges(const wgb::NodeRanges& ranges, std::vector<uint8_t>& codes,
                   std::vector<uint8_t>& missing, std::vector<uint32_t>& seen) {
  for (const wgb::CodeRange& range : ranges.codes)
    codes.insert(codes.end(), {range.low, range.second_low, range.second_high, range.high});
  missing.insert(missing.end(), ranges.missing.begin(), ranges.missing.end());
  for (const wgb::SeenCategories& one : ranges.seen)
    for (const wgb::CategorySet* set : {&one.once, &one.twice})
      seen.insert(seen.end(), std::begin(set->bits), std::end(set->bits));
}

namespace {

// The ranges of trees whose splits are known, from the codes (p, n) of rows that count: an array
// (nodes, 4), and the numbers of missing values.
nb::tuple node_ranges(const In<uint8_t, 2>& codes, const In<int32_t, 1>& n_bins,
                      const Maybe<In<float, 1>>& weight, const In<int64_t, 1>& first_node,
                      const In<int32_t, 1>& feature, const In<uint8_t, 1>& bin,
                      const In<uint8_t, 1>& missing_left, const In<int32_t, 1>& left,
                      int n_threads) {
  const size_t p = codes.shape(0), n = codes.shape(1), nodes = feature.shape(0);
  const size_t trees = first_node.shape(0) - 1;
  require(n_bins.shape(0) == p && bin.shape(0) == nodes && missing_left.shape(0) == nodes &&
              left.shape(0) == nodes && (!weight || weight->shape(0) == n),
          "arrays of different lengths");
  wgb::Columns columns{};
  columns.codes = codes.data();
  columns.n = n;
  const std::vector<int32_t> bins(n_bins.data(), n_bins.data() + p);
  std::vector<uint8_t> ranges, missing;
  std::vector<uint32_t> seen;
  {
    const Released released;
    std::vector<wgb::TreeTable> tables(trees);
    for (size_t t = 0; t < trees; ++t) {
      const int64_t begin = first_node.data()[t], end = first_node.data()[t + 1];
      require(begin >= 0 && begin < end && end <= static_cast<int64_t>(nodes), "nodes of trees");
      wgb::TreeTable& table = tables[t];
      for (int64_t i = begin; i < end; ++i) {
        const int32_t f = feature.data()[i], child = left.data()[i];
        require(f < static_cast<int32_t>(p) && (f < 0 || (child > i - begin && child + 1 < end - begin)),
                "a child outside its tree");
        table.add(0);
        table.feature.back() = f;
        table.left.back() = child;
        table.bin.back() = bin.data()[i];
        table.missing_left.back() = missing_left.data()[i];
      }
      table.ranges.grow(table.feature.size(), 0);
    }
    const double work = static_cast<double>(n) * static_cast<double>(trees);
    wgb::Team team(wgb::useful_threads(n_threads, work, 1e5));
    team.run(static_cast<int>(trees), [&](int t) {
      wgb::TreeTable& table = tables[static_cast<size_t>(t)];
      for (size_t row = 0; row < n; ++row)
        if (!weight || weight->data()[row] > 0)
          table.leaf_of(columns, bins, row, table.ranges);
    });
    for (const wgb::TreeTable& table : tables) append_ranges(table.ranges, ranges, missing, seen);
  }
  return nb::make_tuple(owned<uint8_t, 2>(std::move(ranges), {nodes, 4}),
                        owned(std::move(missing)));
}

// The smallest and the largest value of each bin, feature after feature, of rows that count:
// infinities the wrong way round where a bin has none.
template <class T>
nb::tuple bin_ends(const Raw<T>& x, const In<uint8_t, 2>& codes, const In<int64_t, 1>& first_bin,
                   const Maybe<In<float, 1>>& weight, int n_threads) {
  const size_t n = x.shape(0), p = x.shape(1);
  require(codes.shape(0) == p && codes.shape(1) == n && first_bin.shape(0) == p + 1 &&
              (!weight || weight->shape(0) == n),
          "arrays of different lengths");
  const int64_t* first = first_bin.data();
  for (size_t f = 0; f < p; ++f)
    require(first[f] >= 0 && first[f] <= first[f + 1], "bins out of order");
  const auto bins = static_cast<size_t>(first[p]);
  std::vector<double> low(bins, std::numeric_limits<double>::infinity());
  std::vector<double> high(bins, -std::numeric_limits<double>::infinity());
  {
    const Released released;
    const double work = static_cast<double>(n) * static_cast<double>(p);
    wgb::Team team(wgb::useful_threads(n_threads, work, 1e6));
    const wgb::Matrix<T> values = matrix(x);
    team.run(static_cast<int>(p), [&](int f) {
      const uint8_t* code = codes.data() + static_cast<size_t>(f) * n;
      const int64_t size = first[f + 1] - first[f];
      double *lowest = low.data() + first[f], *highest = high.data() + first[f];
      for (size_t row = 0; row < n; ++row) {
        if (code[row] >= size || (weight && !(weight->data()[row] > 0))) continue;
        const double value = values.at(row, static_cast<size_t>(f));
        lowest[code[row]] = std::min(lowest[code[row]], value);
        highest[code[row]] = std::max(highest[code[row]], value);
      }
    });
  }
  return nb::make_tuple(owned(std::move(low)), owned(std::move(high)));
}

// The two smallest distances of rows (n, p) to points (p, r), given as columns.
Out<float, 2> nearest_distances(const In<float, 2>& points, const In<float, 2>& rows,
                                const In<uint8_t, 1>& categorical, const In<float, 1>& shrink,
                                float mismatch, int n_threads) {
  const size_t p = points.shape(0), r = points.shape(1), n = rows.shape(0);
  require(rows.shape(1) == p && categorical.shape(0) == p && shrink.shape(0) == p,
          "arrays of different lengths");
  std::vector<float> out(2 * n);
  {
    const Released released;
    const double work = static_cast<double>(n) * static_cast<double>(r) * static_cast<double>(p);
    wgb::Team team(wgb::useful_threads(n_threads, work, 1e6));
    wgb::nearest_distances({points.data(), r, p, categorical.data(), shrink.data(), mismatch},
                           rows.data(), n, out.data(), team);
  }
  return owned<float, 2>(std::move(out), {n, 2});
}

}  // namespace

void bind_ranges(nb::module_& module) {
  module.def("node_ranges", &node_ranges, nb::kw_only(), "codes"_a.noconvert(), "n_bins"_a,
             "weight"_a.none(), "first_node"_a, "feature"_a, "bin"_a, "missing_left"_a, "left"_a,
             "n_threads"_a);
  module.def("bin_ends", &bin_ends<float>, nb::kw_only(), "x"_a.noconvert(),
             "codes"_a.noconvert(), "first_bin"_a, "weight"_a.none(), "n_threads"_a);
  module.def("bin_ends", &bin_ends<double>, nb::kw_only(), "x"_a.noconvert(),
             "codes"_a.noconvert(), "first_bin"_a, "weight"_a.none(), "n_threads"_a);
  module.def("nearest_distances", &nearest_distances, nb::kw_only(), "points"_a.noconvert(),
             "rows"_a.noconvert(), "categorical"_a, "shrink"_a, "mismatch"_a,
             "n_threads"_a);
}
