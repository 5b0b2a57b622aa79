#include "forest.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kRowsPerBlock = 64;     // rows walked down a tree together
constexpr double kStepsPerThread = 1e6;  // rows x trees worth a thread

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

float float_not_above(double x) {
  if (std::isnan(x)) return std::numeric_limits<float>::quiet_NaN();
  if (std::isinf(x)) return static_cast<float>(x);
  constexpr double largest = std::numeric_limits<float>::max();
  if (x >= largest) return std::numeric_limits<float>::max();
  if (x < -largest) return -std::numeric_limits<float>::infinity();
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) <= x
             ? nearest
             : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

// How a block of rows answers a node's question.
template <class T>
struct RawRows {
  const T* data;
  int64_t row_stride, column_stride;
  WGB_INLINE bool left(const Forest::Node& node, size_t row) const {
    const T x = data[static_cast<int64_t>(row) * row_stride + node.feature * column_stride];
    bool below;
    if constexpr (sizeof(T) == sizeof(float))
      below = x <= node.threshold32;
    else
      below = x <= node.threshold;
    return below | ((x != x) & (node.missing_left != 0));
  }
};

struct CodeRows {
  const uint8_t* data;
  int64_t row_stride, column_stride;
  const int32_t* n_bins;
  WGB_INLINE bool left(const Forest::Node& node, size_t row) const {
    const int code = data[static_cast<int64_t>(row) * row_stride + node.feature * column_stride];
    return (code <= node.bin) | ((code == n_bins[node.feature]) & (node.missing_left != 0));
  }
};

template <class Row>
WGB_INLINE void walk(const Forest::Node* WGB_RESTRICT nodes, int32_t root, int32_t depth,
                     const Row& rows, size_t begin, size_t n, int32_t* WGB_RESTRICT at) {
  for (size_t i = 0; i < n; ++i) at[i] = root;
  for (int32_t level = 0; level < depth; ++level)
    for (size_t i = 0; i < n; ++i) {
      const Forest::Node& node = nodes[at[i]];
      // A leaf points to itself, so that all rows of a block take the same number of steps.
      at[i] = node.next + (static_cast<int32_t>(!rows.left(node, begin + i)) & node.inner);
    }
}

WGB_CLONES void walk_float(const Forest::Node* nodes, int32_t root, int32_t depth,
                           const RawRows<float>& rows, size_t begin, size_t n, int32_t* at) {
  walk(nodes, root, depth, rows, begin, n, at);
}
WGB_CLONES void walk_double(const Forest::Node* nodes, int32_t root, int32_t depth,
                            const RawRows<double>& rows, size_t begin, size_t n, int32_t* at) {
  walk(nodes, root, depth, rows, begin, n, at);
}
WGB_CLONES void walk_codes(const Forest::Node* nodes, int32_t root, int32_t depth,
                           const CodeRows& rows, size_t begin, size_t n, int32_t* at) {
  walk(nodes, root, depth, rows, begin, n, at);
}
void walk_rows(const Forest::Node* nodes, int32_t root, int32_t depth, const RawRows<float>& rows,
               size_t begin, size_t n, int32_t* at) {
  walk_float(nodes, root, depth, rows, begin, n, at);
}
void walk_rows(const Forest::Node* nodes, int32_t root, int32_t depth, const RawRows<double>& rows,
               size_t begin, size_t n, int32_t* at) {
  walk_double(nodes, root, depth, rows, begin, n, at);
}
void walk_rows(const Forest::Node* nodes, int32_t root, int32_t depth, const CodeRows& rows,
               size_t begin, size_t n, int32_t* at) {
  walk_codes(nodes, root, depth, rows, begin, n, at);
}

WGB_CLONES void add_values(const Forest::Node* nodes, const int32_t* at, size_t n,
                           const float* values, size_t outputs, float* out, size_t stride) {
  for (size_t i = 0; i < n; ++i) {
    const float* WGB_RESTRICT from =
        values + static_cast<size_t>(nodes[at[i]].leaf) * outputs;
    float* WGB_RESTRICT to = out + i * stride;
    for (size_t j = 0; j < outputs; ++j) to[j] += from[j];
  }
}

}  // namespace

Forest::Forest(const ForestArrays& a, int n_features, int n_outputs)
    : n_features_(n_features), n_outputs_(n_outputs), leaf_outputs_(a.outputs),
      max_bin_(static_cast<size_t>(n_features), 0) {
  if (a.outputs < 1 || n_outputs < 1 || n_features < 1)
    refuse("an ensemble needs at least one feature and one output");
  const auto limit = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (a.n_nodes > limit || a.n_leaves > limit) refuse("the ensemble has more than 2^31 nodes");
  if (a.first_node[0] != 0 || a.first_leaf[0] != 0 ||
      a.first_node[a.n_trees] != static_cast<int64_t>(a.n_nodes) ||
      a.first_leaf[a.n_trees] != static_cast<int64_t>(a.n_leaves))
    refuse("the trees do not cover the node and leaf tables");
  nodes_.resize(a.n_nodes);
  trees_.resize(a.n_trees);
  for (size_t tree = 0; tree < a.n_trees; ++tree) {
    const std::string name = "tree " + std::to_string(tree);
    const int64_t begin = a.first_node[tree], end = a.first_node[tree + 1];
    const int64_t leaves = a.first_leaf[tree + 1] - a.first_leaf[tree];
    if (begin < 0 || end <= begin || end > static_cast<int64_t>(a.n_nodes) || leaves < 1 ||
        a.first_leaf[tree] < 0)
      refuse(name + " is empty or out of order");
    if (a.output[tree] < 0 || a.output[tree] > n_outputs - a.outputs)
      refuse(name + " writes outside the " + std::to_string(n_outputs) + " outputs");
    std::vector<int32_t> depth(static_cast<size_t>(end - begin), -1);
    depth[0] = 0;
    int32_t deepest = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int32_t here = depth[static_cast<size_t>(i - begin)];
      const std::string where = name + ", node " + std::to_string(i - begin);
      if (here < 0) refuse(where + " has no parent");
      deepest = std::max(deepest, here);
      Node& node = nodes_[static_cast<size_t>(i)];
      node.threshold = a.threshold[i];
      node.threshold32 = float_not_above(a.threshold[i]);
      node.bin = a.bin[i];
      node.missing_left = a.missing_left[i] != 0;
      node.inner = a.feature[i] >= 0;
      if (!node.inner) {
        if (a.feature[i] != -1) refuse(where + " has a negative feature");
        if (a.leaf[i] < 0 || a.leaf[i] >= leaves) refuse(where + " has no leaf value");
        node.feature = 0;
        node.next = static_cast<int32_t>(i);
        node.leaf = static_cast<int32_t>(a.first_leaf[tree] + a.leaf[i]);
        continue;
      }
      if (a.feature[i] >= n_features)
        refuse(where + " splits on feature " + std::to_string(a.feature[i]) + " of " +
               std::to_string(n_features));
      // Children behind their parent: no walk can go in a circle.
      if (a.left[i] <= i - begin || a.left[i] >= end - begin - 1)
        refuse(where + " has a child outside its tree");
      if (std::isnan(node.threshold)) refuse(where + " has no threshold");
      for (int64_t child = a.left[i]; child <= a.left[i] + 1; ++child) {
        if (depth[static_cast<size_t>(child)] >= 0) refuse(where + " shares a child");
        depth[static_cast<size_t>(child)] = here + 1;
      }
      node.feature = a.feature[i];
      node.next = static_cast<int32_t>(begin) + a.left[i];
      node.leaf = -1;
      max_bin_[static_cast<size_t>(node.feature)] =
          std::max<int>(max_bin_[static_cast<size_t>(node.feature)], node.bin);
    }
    trees_[tree] = {static_cast<int32_t>(begin), deepest, a.output[tree], a.first_leaf[tree]};
  }
  values_.assign(a.values, a.values + a.n_leaves * static_cast<size_t>(a.outputs));
}

template <class Row>
void Forest::run(const Row& rows, size_t n, size_t first, size_t last, float* out, int32_t* leaf,
                 int n_threads) const {
  const double steps = static_cast<double>(n) * static_cast<double>(last - first);
  Team team(useful_threads(n_threads, steps, kStepsPerThread));
  const size_t stride = static_cast<size_t>(n_outputs_), trees = last - first;
  team.run_ranges(n, kRowsPerBlock, [&](size_t begin, size_t end) {
    int32_t at[kRowsPerBlock];
    for (size_t tree = first; tree < last; ++tree) {
      const Tree& it = trees_[tree];
      walk_rows(nodes_.data(), it.root, it.depth, rows, begin, end - begin, at);
      if (out)
        add_values(nodes_.data(), at, end - begin, values_.data(),
                   static_cast<size_t>(leaf_outputs_), out + begin * stride + it.output, stride);
      if (leaf)
        for (size_t i = begin; i < end; ++i)
          leaf[i * trees + (tree - first)] =
              nodes_[at[i - begin]].leaf - static_cast<int32_t>(it.first_leaf);
    }
  });
}

template <class T>
void Forest::predict(const Matrix<T>& x, size_t first, size_t last, float* out,
                     int n_threads) const {
  run(RawRows<T>{x.data, x.row_stride, x.column_stride}, x.n, first, last, out, nullptr,
      n_threads);
}

void Forest::predict_codes(const Matrix<uint8_t>& codes, const int32_t* n_bins, size_t first,
                           size_t last, float* out, int n_threads) const {
  run(CodeRows{codes.data, codes.row_stride, codes.column_stride, n_bins}, codes.n, first, last,
      out, nullptr, n_threads);
}

template <class T>
void Forest::apply(const Matrix<T>& x, size_t first, size_t last, int32_t* leaf,
                   int n_threads) const {
  run(RawRows<T>{x.data, x.row_stride, x.column_stride}, x.n, first, last, nullptr, leaf,
      n_threads);
}

template void Forest::predict(const Matrix<float>&, size_t, size_t, float*, int) const;
template void Forest::predict(const Matrix<double>&, size_t, size_t, float*, int) const;
template void Forest::apply(const Matrix<float>&, size_t, size_t, int32_t*, int) const;
template void Forest::apply(const Matrix<double>&, size_t, size_t, int32_t*, int) const;

}  // namespace wgb
