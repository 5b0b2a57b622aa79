// The Python face of the core: the trees of a model.
#include <nanobind/stl/tuple.h>

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "forest.hpp"

namespace {

using Doubles = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleRows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto writable(Maybe<Array>& array) -> decltype(array->data()) {
  return array ? array->data() : nullptr;
}

template <class T, int D>
const T* entry(const nb::dict& arrays, const char* name, size_t rows, size_t columns = 1) {
  const auto array = nb::cast<In<T, D>>(nb::object(arrays[name]), false);
  require(array.shape(0) == rows && (D == 1 || array.shape(D - 1) == columns),
          "the arrays of ranges differ in length");
  return array.data();
}

// What the dict holds stays alive while the forest is made.
wgb::RangeArrays range_arrays(const nb::dict& arrays, size_t trees, size_t nodes, size_t sets,
                              int n_features) {
  const size_t tables = nb::len(nb::object(arrays["rows"])), bins = nb::len(nb::object(arrays["low"]));
  require(n_features > 0, "an ensemble needs at least one feature and one output");
  return {entry<uint8_t, 2>(arrays, "codes", nodes, 4),
          entry<uint8_t, 1>(arrays, "missing", nodes),
          entry<uint32_t, 2>(arrays, "categories", sets, 2 * wgb::CategorySet::kWords),
          entry<int64_t, 1>(arrays, "cover", nodes),
          entry<int32_t, 1>(arrays, "table", trees),
          tables,
          bins,
          entry<int64_t, 1>(arrays, "rows", tables),
          entry<int64_t, 1>(arrays, "first_bin", tables * static_cast<size_t>(n_features) + 1),
          entry<double, 1>(arrays, "low", bins),
          entry<double, 1>(arrays, "high", bins)};
}

wgb::Forest make_forest(const In<int64_t, 1>& first_node, const In<int64_t, 1>& first_leaf,
                        const In<int64_t, 1>& first_set, const In<int32_t, 1>& output,
                        const In<int32_t, 1>& feature, const In<double, 1>& threshold,
                        const In<uint8_t, 1>& bin, const In<uint8_t, 1>& missing_left,
                        const In<int32_t, 1>& category_set, const In<int32_t, 1>& left,
                        const In<int32_t, 1>& leaf, const In<float, 2>& values,
                        const In<uint32_t, 2>& sets, int n_features, int n_outputs,
                        const Maybe<nb::dict>& ranges) {
  const size_t trees = output.shape(0), nodes = feature.shape(0);
  require(first_node.shape(0) == trees + 1 && first_leaf.shape(0) == trees + 1 &&
              first_set.shape(0) == trees + 1 && category_set.shape(0) == nodes &&
              threshold.shape(0) == nodes && bin.shape(0) == nodes &&
              missing_left.shape(0) == nodes && left.shape(0) == nodes && leaf.shape(0) == nodes,
          "the ensemble's arrays differ in length");
  require(sets.shape(1) == wgb::CategorySet::kWords, "a category set has 8 words");
  std::optional<wgb::RangeArrays> kept;
  if (ranges) kept = range_arrays(*ranges, trees, nodes, sets.shape(0), n_features);
  return wgb::Forest({trees, nodes, values.shape(0), sets.shape(0),
                      static_cast<int>(values.shape(1)), first_node.data(), first_leaf.data(),
                      first_set.data(), output.data(), feature.data(), threshold.data(),
                      bin.data(), missing_left.data(), category_set.data(), left.data(),
                      leaf.data(), values.data(), sets.data(), kept ? &*kept : nullptr},
                     n_features, n_outputs);
}

void check_range(const wgb::Forest& forest, size_t p, size_t first, size_t last) {
  require(p == static_cast<size_t>(forest.n_features()), "another number of features");
  require(first <= last && last <= forest.n_trees(), "tree index out of range");
}

template <class T>
void predict(const wgb::Forest& forest, const Raw<T>& x, State out, size_t first, size_t last,
             int n_threads) {
  check_range(forest, x.shape(1), first, last);
  require(out.shape(0) == x.shape(0) &&
              out.shape(1) == static_cast<size_t>(forest.n_outputs()), "output of another shape");
  const Released released;
  forest.predict(matrix(x), first, last, out.data(), n_threads);
}

void predict_codes(const wgb::Forest& forest, const Raw<uint8_t>& codes,
                   const In<int32_t, 1>& n_bins, State out, size_t first, size_t last,
                   int n_threads) {
  check_range(forest, codes.shape(1), first, last);
  require(n_bins.shape(0) == codes.shape(1), "bins of every feature");
  require(out.shape(0) == codes.shape(0) &&
              out.shape(1) == static_cast<size_t>(forest.n_outputs()), "output of another shape");
  const Released released;
  forest.predict_codes(matrix(codes), n_bins.data(), first, last, out.data(), n_threads);
}

template <class T>
Out<uint16_t, 2> rank(const wgb::Forest& forest, const Raw<T>& x, int n_threads) {
  check_range(forest, x.shape(1), 0, 0);
  auto ranks = fresh<uint16_t, 2>({forest.n_used(), x.shape(0)});
  const Released released;
  forest.rank(matrix(x), ranks.data(), n_threads);
  return ranks;
}

void predict_ranks(const wgb::Forest& forest, const In<uint16_t, 2>& ranks, State out,
                   size_t first, size_t last, int n_threads) {
  require(first <= last && last <= forest.n_trees(), "tree index out of range");
  require(ranks.shape(0) == forest.n_used() && out.shape(0) == ranks.shape(1) &&
              out.shape(1) == static_cast<size_t>(forest.n_outputs()), "output of another shape");
  const Released released;
  forest.predict_ranks(ranks.data(), ranks.shape(1), first, last, out.data(), n_threads);
}

template <class T>
Out<int32_t, 2> apply(const wgb::Forest& forest, const Raw<T>& x, size_t first, size_t last,
                      int n_threads) {
  check_range(forest, x.shape(1), first, last);
  auto leaf = fresh<int32_t, 2>({x.shape(0), last - first});
  const Released released;
  forest.apply(matrix(x), first, last, leaf.data(), n_threads);
  return leaf;
}


// What the trees do not support of raw rows, added to arrays; see SupportTask. `ranks` are those of
// x, if they are known, and `out` takes the leaf values, if they are asked for.
template <class T>
void predict_supported(const wgb::Forest& forest, const Raw<T>& x,
                       const Maybe<In<uint16_t, 2>>& ranks, Maybe<State> out,
                       const In<double, 1>& reach, const In<double, 1>& low,
                       const In<double, 1>& high, const In<double, 1>& asked,
                       const Maybe<In<float, 2>>& contrast, bool left_out, Doubles lack, Maybe<State> lost,
                       Maybe<DoubleRows> by_feature, size_t first, size_t last, int n_threads) {
  check_range(forest, x.shape(1), first, last);
  const size_t n = x.shape(0), p = x.shape(1), outputs = static_cast<size_t>(forest.n_outputs());
  const auto of_rows = [&](const auto& array, size_t columns) {
    return !array || (array->shape(0) == n && array->shape(1) == columns);
  };
  require(forest.knows_ranges() || first == last, "the trees have no ranges");
  require(of_rows(out, outputs) && of_rows(lost, outputs) && of_rows(by_feature, p) &&
              lack.shape(0) == n && reach.shape(0) == p && low.shape(0) == p &&
              high.shape(0) == p && asked.shape(0) == p,
          "output of another shape");
  require(!ranks || (ranks->shape(0) == forest.n_used() && ranks->shape(1) == n),
          "ranks of another shape");
  require(!lost || (contrast && contrast->shape(0) == forest.n_trees() &&
                    contrast->shape(1) == forest.leaf_outputs()),
          "a contrast for every tree and output");
  const wgb::SupportTask task{reach.data(), low.data(), high.data(), asked.data(),
                              pointer(contrast), left_out, lack.data(), writable(lost),
                              writable(by_feature)};
  const Released released;
  forest.predict_supported(matrix(x), pointer(ranks), first, last, writable(out), task, n_threads);
}

Out<double, 1> asked(const wgb::Forest& forest, const In<int64_t, 1>& cover) {
  require(cover.shape(0) == forest.n_nodes(), "a cover for every node");
  std::vector<double> share(static_cast<size_t>(forest.n_features()), 0.0);
  {
    const Released released;
    forest.add_asked(cover.data(), 0, forest.n_trees(), share.data());
  }
  return owned(std::move(share));
}

}  // namespace

void bind_forest(nb::module_& module) {
  nb::class_<wgb::Forest>(module, "Forest")
      .def_prop_ro("n_trees", &wgb::Forest::n_trees)
      .def("predict", &predict<float>, nb::kw_only(), "x"_a.noconvert(), "out"_a.noconvert(),
           "first"_a, "last"_a, "n_threads"_a)
      .def("predict", &predict<double>, nb::kw_only(), "x"_a.noconvert(), "out"_a.noconvert(),
           "first"_a, "last"_a, "n_threads"_a)
      .def("predict_codes", &predict_codes, nb::kw_only(), "codes"_a.noconvert(), "n_bins"_a,
           "out"_a.noconvert(), "first"_a, "last"_a, "n_threads"_a)
      .def("rank", &rank<float>, nb::kw_only(), "x"_a.noconvert(), "n_threads"_a)
      .def("rank", &rank<double>, nb::kw_only(), "x"_a.noconvert(), "n_threads"_a)
      .def("predict_ranks", &predict_ranks, nb::kw_only(), "ranks"_a.noconvert(),
           "out"_a.noconvert(), "first"_a, "last"_a, "n_threads"_a)
      .def("predict_supported", &predict_supported<float>, nb::kw_only(), "x"_a.noconvert(), "ranks"_a.none(), "out"_a.noconvert().none(), "reach"_a,
           "low"_a, "high"_a, "asked"_a, "contrast"_a.none(), "left_out"_a,
           "lack"_a.noconvert(), "lost"_a.noconvert().none(), "by_feature"_a.noconvert().none(),
           "first"_a, "last"_a, "n_threads"_a)
      .def("predict_supported", &predict_supported<double>, nb::kw_only(), "x"_a.noconvert(), "ranks"_a.none(), "out"_a.noconvert().none(), "reach"_a,
           "low"_a, "high"_a, "asked"_a, "contrast"_a.none(), "left_out"_a,
           "lack"_a.noconvert(), "lost"_a.noconvert().none(), "by_feature"_a.noconvert().none(),
           "first"_a, "last"_a, "n_threads"_a)
      .def("asked", &asked, "cover"_a)
      .def("apply", &apply<float>, nb::kw_only(), "x"_a.noconvert(), "first"_a, "last"_a,
           "n_threads"_a)
      .def("apply", &apply<double>, nb::kw_only(), "x"_a.noconvert(), "first"_a, "last"_a,
           "n_threads"_a);
  module.def("make_forest", &make_forest, nb::kw_only(), "first_node"_a, "first_leaf"_a,
             "first_set"_a, "output"_a, "feature"_a, "threshold"_a, "bin"_a, "missing_left"_a,
             "category_set"_a, "left"_a, "leaf"_a, "values"_a, "sets"_a, "n_features"_a,
             "n_outputs"_a, "ranges"_a.none());
}
