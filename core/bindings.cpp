// The Python face of the core: arrays in, arrays out, the GIL released while it works. Python
// checks what users hand over; here only what would make the core itself go wrong.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "grower.hpp"
#include "leaves.hpp"

namespace {

bool all_finite(const In<float, 3>& values) {
  const Released released;
  return wgb::all_finite(values.data(), values.size());
}

void check_rows(const Maybe<In<uint32_t, 1>>& rows, size_t n) {
  if (!rows) return;
  for (size_t i = 0; i < rows->shape(0); ++i)
    require(rows->data()[i] < n, "row index out of range");
}

template <class T>
std::vector<Out<double, 1>> find_cuts(const Raw<T>& x, const Maybe<In<float, 1>>& weight,
                                      int max_bins, size_t sample_size, uint64_t seed,
                                      int n_threads) {
  require(max_bins >= 2 && max_bins <= wgb::kMaxBins, "max_bins out of range");
  require(!weight || weight->shape(0) == x.shape(0), "one weight per row");
  std::vector<std::vector<double>> cuts(x.shape(1));
  {
    const Released released;
    const double work = static_cast<double>(x.shape(0)) * static_cast<double>(x.shape(1));
    wgb::Team team(wgb::useful_threads(n_threads, work, 1e5));
    team.run(static_cast<int>(x.shape(1)), [&](int column) {
      cuts[column] = wgb::find_cuts(matrix(x), static_cast<size_t>(column), pointer(weight),
                                    max_bins, sample_size, seed);
    });
  }
  std::vector<Out<double, 1>> result;
  for (auto& c : cuts) result.push_back(owned(std::move(c)));
  return result;
}

template <class T>
Out<uint8_t, 2> apply_cuts(const Raw<T>& x, const std::vector<In<double, 1>>& cuts,
                           const In<int32_t, 1>& n_bins, int n_threads) {
  require(cuts.size() == x.shape(1) && n_bins.shape(0) == x.shape(1), "cuts of every feature");
  std::vector<const double*> start;
  std::vector<int> size;
  for (const auto& c : cuts) {
    require(c.shape(0) <= wgb::kMaxBins, "too many cuts");
    start.push_back(c.data());
    size.push_back(static_cast<int>(c.shape(0)));
  }
  auto codes = fresh<uint8_t, 2>({x.shape(1), x.shape(0)});
  {
    const Released released;
    const double work = static_cast<double>(x.shape(0)) * static_cast<double>(x.shape(1));
    wgb::Team team(wgb::useful_threads(n_threads, work, 1e5));
    wgb::apply_cuts(matrix(x), start, size, n_bins.data(), codes.data(), team);
  }
  return codes;
}

// The trees of a round behind each other, as a flat ensemble has them.
nb::dict flat_arrays(const std::vector<wgb::TreeTable>& trees, const std::vector<wgb::Block>& blocks) {
  std::vector<int64_t> first_node{0}, first_leaf{0}, first_set{0}, cover;
  std::vector<int32_t> output, feature, left, leaf, category_set;
  std::vector<uint32_t> sets;
  std::vector<uint8_t> bin, missing_left, codes, missing;
  std::vector<float> gain, values;
  std::vector<uint32_t> seen;
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), std::begin(from), std::end(from));
  };
  for (size_t i = 0; i < trees.size(); ++i) {
    const wgb::TreeTable& tree = trees[i];
    first_node.push_back(first_node.back() + static_cast<int64_t>(tree.feature.size()));
    first_leaf.push_back(first_leaf.back() + static_cast<int64_t>(tree.n_leaves));
    first_set.push_back(first_set.back() + static_cast<int64_t>(tree.sets.size()));
    output.push_back(blocks[i].first);
    append(feature, tree.feature);
    append(bin, tree.bin);
    append(missing_left, tree.missing_left);
    append(category_set, tree.category_set);
    for (const wgb::CategorySet& set : tree.sets) append(sets, set.bits);
    append(left, tree.left);
    append(leaf, tree.leaf);
    append(gain, tree.gain);
    append(cover, tree.cover);
    append(values, tree.values);
    append_ranges(tree.ranges, codes, missing, seen);
  }
  nb::dict arrays;
  const size_t leaves = static_cast<size_t>(first_leaf.back());
  arrays["first_node"] = owned(std::move(first_node));
  arrays["first_leaf"] = owned(std::move(first_leaf));
  arrays["first_set"] = owned(std::move(first_set));
  arrays["output"] = owned(std::move(output));
  arrays["feature"] = owned(std::move(feature));
  arrays["bin"] = owned(std::move(bin));
  arrays["missing_left"] = owned(std::move(missing_left));
  arrays["category_set"] = owned(std::move(category_set));
  const size_t n_sets = sets.size() / wgb::CategorySet::kWords;
  arrays["sets"] = owned<uint32_t, 2>(std::move(sets), {n_sets, wgb::CategorySet::kWords});
  arrays["left"] = owned(std::move(left));
  arrays["leaf"] = owned(std::move(leaf));
  arrays["gain"] = owned(std::move(gain));
  arrays["cover"] = owned(std::move(cover));
  arrays["values"] =
      owned<float, 2>(std::move(values), {leaves, static_cast<size_t>(blocks[0].outputs())});
  arrays["range_codes"] = owned<uint8_t, 2>(std::move(codes), {missing.size(), 4});
  arrays["range_missing"] = owned(std::move(missing));
  arrays["range_categories"] =
      owned<uint32_t, 2>(std::move(seen), {n_sets, 2 * wgb::CategorySet::kWords});
  return arrays;
}

nb::tuple grow(wgb::Workspace& workspace, const In<uint8_t, 2>& codes, const In<int32_t, 1>& n_bins,
               const In<uint8_t, 1>& categorical,
               const In<int32_t, 1>& features, const Maybe<In<uint32_t, 1>>& rows,
               const In<float, 3>& direction, const Maybe<In<float, 3>>& curvature,
               const Maybe<In<float, 1>>& weight, int trees, int projection,
               const Maybe<In<float, 2>>& random_matrix, bool best_first, int max_depth,
               int max_leaves, double min_samples_leaf, double min_weight_leaf, double l2, double min_gain,
               double cat_smooth, double cat_penalty, const In<float, 1>& cat_signal,
               const Maybe<In<int8_t, 1>>& monotone, int parameter,
               const Maybe<In<uint8_t, 2>>& groups, int n_threads) {
  const size_t n = codes.shape(1), p = codes.shape(0);
  const size_t m = direction.shape(1), d = direction.shape(2);
  require(n > 0 && p > 0 && m > 0 && d > 0, "nothing to grow on");
  require(n < (size_t(1) << 32), "more than 2^32 rows");
  require(n_bins.shape(0) == p && categorical.shape(0) == p && cat_signal.shape(0) == p,
          "bins, kind and signal of every feature");
  require(direction.shape(0) == n, "a direction for every row");
  require(!curvature || (curvature->shape(0) == n && curvature->shape(1) == m &&
                         curvature->shape(2) == d), "curvature of another shape");
  require(!weight || weight->shape(0) == n, "one weight per row");
  require(!rows || rows->shape(0) > 0, "no rows drawn");
  require(projection >= 0 && projection <= 3, "unknown projection");
  require(!monotone || (monotone->shape(0) == p && parameter >= 0 &&
                        static_cast<size_t>(parameter) < d), "constraints of another shape");
  require(!groups || groups->shape(1) == p, "groups of other features");
  check_rows(rows, n);

  wgb::GrowTask task{};
  task.columns.codes = codes.data();
  task.columns.n = n;
  size_t offset = 0;
  for (size_t i = 0; i < features.shape(0); ++i) {
    const int32_t f = features.data()[i];
    require(f >= 0 && static_cast<size_t>(f) < p, "feature index out of range");
    const int32_t bins = n_bins.data()[f];
    require(bins >= 1 && bins <= wgb::kMaxBins, "number of bins out of range");
    task.columns.feature.push_back(f);
    task.columns.bins.push_back(bins);
    task.columns.categorical.push_back(categorical.data()[f] != 0);
    task.columns.signal.push_back(cat_signal.data()[f]);
    task.monotone.sign.push_back(monotone ? monotone->data()[f] : int8_t(0));
    require(task.monotone.sign.back() == 0 || !categorical.data()[f], "categories have no order");
    task.columns.offset.push_back(offset);
    offset += static_cast<size_t>(bins) + 1;
  }
  require(!task.columns.feature.empty(), "no features drawn");
  require(std::is_sorted(task.columns.feature.begin(), task.columns.feature.end()),
          "features out of order");
  task.columns.offset.push_back(offset);

  const int outputs = static_cast<int>(m * d);
  task.targets = {direction.data(), pointer(curvature), pointer(weight), n, outputs};
  task.projection = static_cast<wgb::Projection>(projection);
  require(trees > 0 && m % static_cast<size_t>(trees) == 0, "trees do not divide the particles");
  const int of_tree = static_cast<int>(m) / trees;
  for (int tree = 0; tree < trees; ++tree)
    task.blocks.push_back({tree * of_tree * static_cast<int>(d), of_tree, static_cast<int>(d)});
  if (task.projection == wgb::Projection::kRandom) {
    require(random_matrix && random_matrix->shape(1) > 0 &&
                random_matrix->shape(0) == static_cast<size_t>(task.blocks[0].outputs()),
            "a random projection needs its matrix");
    task.matrix = random_matrix->data();
    task.random_k = static_cast<int>(random_matrix->shape(1));
  }
  task.rows = pointer(rows);
  task.n_rows = rows ? rows->shape(0) : n;
  task.rules = {best_first, max_depth, max_leaves,
                {static_cast<float>(min_samples_leaf), static_cast<float>(min_weight_leaf),
                 static_cast<float>(l2), static_cast<float>(min_gain),
                 static_cast<float>(cat_smooth), static_cast<float>(cat_penalty)}};
  task.monotone.parameter = parameter;
  for (size_t g = 0; groups && g < groups->shape(0); ++g)
    task.groups.emplace_back(groups->data() + g * p, groups->data() + (g + 1) * p);
  task.workspace = &workspace;

  auto leaf = fresh<int32_t, 2>({task.blocks.size(), n});
  std::vector<wgb::TreeTable> tables;
  bool clean = false;
  {
    const Released released;
    tables = wgb::grow(task, n_threads, leaf.data(), &clean);
  }
  return nb::make_tuple(flat_arrays(tables, task.blocks), leaf, clean);
}

void add_leaf_values(State state, const In<int32_t, 2>& leaf, const In<float, 2>& values,
                     const In<int64_t, 1>& first_leaf, const In<int32_t, 1>& output,
                     int n_threads) {
  const size_t trees = leaf.shape(0), n = leaf.shape(1);
  const int outputs = static_cast<int>(values.shape(1)), all = static_cast<int>(state.shape(1));
  require(state.shape(0) == n && output.shape(0) == trees && first_leaf.shape(0) == trees + 1,
          "arrays of different lengths");
  const Released released;
  const double work = static_cast<double>(n) * static_cast<double>(trees) * outputs;
  wgb::Team team(wgb::useful_threads(n_threads, work, 1e6));
  for (size_t tree = 0; tree < trees; ++tree) {
    const int32_t* leaves = leaf.data() + tree * n;
    const int64_t begin = first_leaf.data()[tree], end = first_leaf.data()[tree + 1];
    const int first = output.data()[tree];
    require(first >= 0 && first <= all - outputs, "outputs out of range");
    require(begin >= 0 && begin <= end && end <= static_cast<int64_t>(values.shape(0)),
            "leaves out of range");
    const auto [low, high] = std::minmax_element(leaves, leaves + n);
    require(n == 0 || (*low >= 0 && *high < end - begin), "leaf index out of range");
    team.run_ranges(n, 8192, [&](size_t from, size_t to) {
      wgb::add_leaf_values(leaves, values.data() + begin * outputs, outputs, state.data(), all,
                           first, from, to);
    });
  }
}

}  // namespace

NB_MODULE(_core, module) {
  // A learner that lives until the interpreter ends is no leak.
  nb::set_leak_warnings(false);
  bind_flow(module);
  module.def("find_cuts", &find_cuts<float>, nb::kw_only(), "x"_a.noconvert(), "weight"_a.none(),
             "max_bins"_a, "sample_size"_a, "seed"_a, "n_threads"_a);
  module.def("find_cuts", &find_cuts<double>, nb::kw_only(), "x"_a.noconvert(), "weight"_a.none(),
             "max_bins"_a, "sample_size"_a, "seed"_a, "n_threads"_a);
  module.def("apply_cuts", &apply_cuts<float>, nb::kw_only(), "x"_a.noconvert(), "cuts"_a,
             "n_bins"_a, "n_threads"_a);
  module.def("apply_cuts", &apply_cuts<double>, nb::kw_only(), "x"_a.noconvert(), "cuts"_a,
             "n_bins"_a, "n_threads"_a);
  nb::class_<wgb::Workspace>(module, "Workspace").def(nb::init<>());
  module.def("grow", &grow, nb::kw_only(), "workspace"_a, "codes"_a.noconvert(), "n_bins"_a,
             "categorical"_a, "features"_a, "rows"_a.none(), "direction"_a.noconvert(),
             "curvature"_a.noconvert().none(), "weight"_a.noconvert().none(), "trees"_a,
             "projection"_a, "random_matrix"_a.none(), "best_first"_a, "max_depth"_a,
             "max_leaves"_a, "min_samples_leaf"_a, "min_weight_leaf"_a, "l2"_a, "min_gain"_a,
             "cat_smooth"_a, "cat_penalty"_a, "cat_signal"_a, "monotone"_a.none(), "parameter"_a,
             "groups"_a.none(), "n_threads"_a);
  module.def("all_finite", &all_finite, "values"_a.noconvert());
  module.def("add_leaf_values", &add_leaf_values, nb::kw_only(), "state"_a.noconvert(),
             "leaf"_a.noconvert(), "values"_a.noconvert(), "first_leaf"_a, "output"_a,
             "n_threads"_a);
  bind_ranges(module);
  bind_forest(module);
}
