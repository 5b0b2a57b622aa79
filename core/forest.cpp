#include "forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kRowsPerBlock = 64;     // rows walked down a tree together
constexpr size_t kRowsPerTask = 1024;
constexpr double kStepsPerThread = 1e6;  // rows x trees worth a thread

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

constexpr uint16_t kMissing = std::numeric_limits<uint16_t>::max();
constexpr uint16_t kNoCategory = 255;
// Beyond this many nodes a walk down is cheaper than asking them all.
constexpr int32_t kSmallTree = 511;
constexpr size_t kManyRows = 12;  // and with fewer rows

using Node = Forest::Node;
using Block = Forest::Block;

// The sets of the nodes that ask for one.
struct Sets {
  const CategorySet* sets;
  const uint32_t* of;  // (nodes)
  const CategorySet& at(int32_t node) const { return sets[of[node]]; }
};

// A category's rank is its code. What is beyond the last possible one is missing.
WGB_INLINE bool has_rank(const CategorySet& set, uint16_t rank) {
  return set.has(rank < kNoCategory ? rank : kNoCategory);
}

// Small trees: every node is asked for all rows of the block at once, from the last node to the
// root, and passes on its left or right child's answer. `answers` has room for a tree's nodes.
WGB_CLONES void ask_all(const Node* nodes, const Sets& sets, const Forest::Tree& tree,
                        const Block& block, bool by_bin, uint16_t* answers, int32_t* leaf) {
  for (int32_t i = tree.last - 1; i >= tree.first; --i) {
    const Node& node = nodes[i];
    uint16_t* WGB_RESTRICT answer = answers + static_cast<size_t>(i - tree.first) * kRowsPerBlock;
    if (node.leaf >= 0) {
      const auto id = static_cast<uint16_t>(node.leaf - tree.first_leaf);
      for (size_t r = 0; r < kRowsPerBlock; ++r) answer[r] = id;
      continue;
    }
    const uint16_t* WGB_RESTRICT value =
        (node.asks == Forest::kLeft ? block.low : block.high) + node.feature * kRowsPerBlock;
    const uint16_t* WGB_RESTRICT left =
        answers + static_cast<size_t>(node.next - tree.first) * kRowsPerBlock;
    const uint16_t* WGB_RESTRICT right = left + kRowsPerBlock;
    if (node.asks == Forest::kSet) {
      const CategorySet& set = sets.at(i);
      for (size_t r = 0; r < kRowsPerBlock; ++r)
        answer[r] = has_rank(set, value[r]) ? left[r] : right[r];
      continue;
    }
    const uint16_t cut = by_bin ? node.bin : node.rank;
    for (size_t r = 0; r < kRowsPerBlock; ++r) {
      const auto take = static_cast<uint16_t>(-static_cast<int>(value[r] <= cut));
      answer[r] = static_cast<uint16_t>((left[r] & take) | (right[r] & ~take));
    }
  }
  for (size_t r = 0; r < kRowsPerBlock; ++r) leaf[r] = tree.first_leaf + answers[r];
}

// Large trees: down from the root, row by row.
void walk(const Node* nodes, const Sets& sets, const Forest::Tree& tree, const Block& block,
          bool by_bin, int32_t* leaf) {
  for (size_t r = 0; r < block.rows; ++r) {
    int32_t at = tree.first;
    while (nodes[at].leaf < 0) {
      const Node& node = nodes[at];
      const uint16_t* values = node.asks == Forest::kLeft ? block.low : block.high;
      const uint16_t value = values[node.feature * kRowsPerBlock + r];
      const uint16_t cut = by_bin ? node.bin : node.rank;
      const bool go_left = node.asks == Forest::kSet ? has_rank(sets.at(at), value) : value <= cut;
      at = node.next + !go_left;
    }
    leaf[r] = nodes[at].leaf;
  }
}

// O > 0: that many outputs.
template <size_t O>
WGB_INLINE void add_leaves(const int32_t* leaf, size_t n, const float* values, size_t outputs,
                           float* out, size_t stride) {
  if (O > 0) outputs = O;
  for (size_t i = 0; i < n; ++i) {
    const float* WGB_RESTRICT from = values + static_cast<size_t>(leaf[i]) * outputs;
    float* WGB_RESTRICT to = out + i * stride;
    for (size_t j = 0; j < outputs; ++j) to[j] += from[j];
  }
}

WGB_CLONES void add_values(const int32_t* leaf, size_t n, const float* values, size_t outputs,
                           float* out, size_t stride) {
  switch (outputs) {  // known numbers are added without a loop
    case 1: return add_leaves<1>(leaf, n, values, outputs, out, stride);
    case 2: return add_leaves<2>(leaf, n, values, outputs, out, stride);
    case 10: return add_leaves<10>(leaf, n, values, outputs, out, stride);
    case 20: return add_leaves<20>(leaf, n, values, outputs, out, stride);
    default: return add_leaves<0>(leaf, n, values, outputs, out, stride);
  }
}

}  // namespace

Forest::Forest(const ForestArrays& a, int n_features, int n_outputs)
    : n_features_(n_features), n_outputs_(n_outputs),
      leaf_outputs_(static_cast<size_t>(std::max(a.outputs, 0))) {
  if (a.outputs < 1 || n_outputs < 1 || n_features < 1)
    refuse("an ensemble needs at least one feature and one output");
  const auto limit = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (a.n_nodes > limit || a.n_leaves > limit) refuse("the ensemble has more than 2^31 nodes");
  if (a.first_node[0] != 0 || a.first_leaf[0] != 0 ||
      a.first_node[a.n_trees] != static_cast<int64_t>(a.n_nodes) ||
      a.first_leaf[a.n_trees] != static_cast<int64_t>(a.n_leaves))
    refuse("the trees do not cover the node and leaf tables");
  if (a.n_sets > limit || a.first_set[0] != 0 ||
      a.first_set[a.n_trees] != static_cast<int64_t>(a.n_sets))
    refuse("the trees do not cover the table of category sets");
  nodes_.resize(a.n_nodes);
  trees_.resize(a.n_trees);
  std::vector<std::vector<double>> thresholds(static_cast<size_t>(n_features));
  std::vector<uint8_t> categorical(static_cast<size_t>(n_features), 0);
  if (a.n_sets > 0) set_of_.resize(a.n_nodes, 0);
  sets_.resize(a.n_sets);
  for (size_t tree = 0; tree < a.n_trees; ++tree) {
    const std::string name = "tree " + std::to_string(tree);
    const int64_t begin = a.first_node[tree], end = a.first_node[tree + 1];
    const int64_t leaves = a.first_leaf[tree + 1] - a.first_leaf[tree];
    if (begin < 0 || end <= begin || end > static_cast<int64_t>(a.n_nodes) || leaves < 1 ||
        leaves > end - begin || a.first_leaf[tree] < 0)
      refuse(name + " is empty or out of order");
    const int64_t sets = a.first_set[tree + 1] - a.first_set[tree];
    if (a.first_set[tree] < 0 || sets < 0 || a.first_set[tree + 1] > static_cast<int64_t>(a.n_sets))
      refuse(name + " has category sets out of order");
    if (a.output[tree] < 0 || a.output[tree] > n_outputs - a.outputs)
      refuse(name + " writes outside the " + std::to_string(n_outputs) + " outputs");
    std::vector<int32_t> depth(static_cast<size_t>(end - begin), -1);
    depth[0] = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int32_t here = depth[static_cast<size_t>(i - begin)];
      const auto where = [&] { return name + ", node " + std::to_string(i - begin); };
      if (here < 0) refuse(where() + " has no parent");
      Node& node = nodes_[static_cast<size_t>(i)];
      node.bin = a.bin[i];
      node.asks = a.missing_left[i] != 0 ? kLeft : kRight;
      if (a.category_set[i] < -1 || a.category_set[i] >= sets)
        refuse(where() + " has no category set");
      if (a.feature[i] < 0) {
        if (a.feature[i] != -1) refuse(where() + " has a negative feature");
        if (a.leaf[i] < 0 || a.leaf[i] >= leaves) refuse(where() + " has no leaf value");
        node.feature = 0;
        node.next = static_cast<int32_t>(i);
        node.rank = 0;
        node.leaf = static_cast<int32_t>(a.first_leaf[tree] + a.leaf[i]);
        continue;
      }
      if (a.feature[i] >= n_features)
        refuse(where() + " splits on feature " + std::to_string(a.feature[i]) + " of " +
               std::to_string(n_features));
      // Children behind their parent: no walk can go in a circle.
      if (a.left[i] <= i - begin || a.left[i] >= end - begin - 1)
        refuse(where() + " has a child outside its tree");
      if (std::isnan(a.threshold[i])) refuse(where() + " has no threshold");
      for (int64_t child = a.left[i]; child <= a.left[i] + 1; ++child) {
        if (depth[static_cast<size_t>(child)] >= 0) refuse(where() + " shares a child");
        depth[static_cast<size_t>(child)] = here + 1;
      }
      node.leaf = -1;
      node.next = static_cast<int32_t>(begin) + a.left[i];
      const auto feature = static_cast<size_t>(a.feature[i]);
      if (a.category_set[i] >= 0) {
        categorical[feature] = 1;
        const auto at = static_cast<size_t>(a.first_set[tree] + a.category_set[i]);
        std::copy_n(a.sets + at * CategorySet::kWords, CategorySet::kWords, sets_[at].bits);
        if (sets_[at].has(kNoCategory) != (node.asks == kLeft))
          refuse(where() + " has a category set that disagrees about missing values");
        set_of_[static_cast<size_t>(i)] = static_cast<uint32_t>(at);
        node.asks = kSet;
      } else {
        thresholds[feature].push_back(a.threshold[i]);
      }
    }
    trees_[tree] = {static_cast<int32_t>(begin), static_cast<int32_t>(end), a.output[tree],
                    static_cast<int32_t>(a.first_leaf[tree])};
  }
  values_.assign(a.values, a.values + a.n_leaves * leaf_outputs_);

  std::vector<uint32_t> position(static_cast<size_t>(n_features), 0);
  for (int f = 0; f < n_features; ++f) {
    std::vector<double>& sorted = thresholds[static_cast<size_t>(f)];
    if (categorical[static_cast<size_t>(f)]) {
      if (!sorted.empty())
        refuse("feature " + std::to_string(f) + " is split by thresholds and by categories");
      for (int code = 0; code < kNoCategory; ++code) sorted.push_back(code + 0.5);
    }
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (sorted.size() >= kMissing)
      refuse("feature " + std::to_string(f) + " has more than 65,534 different thresholds");
    position[static_cast<size_t>(f)] = static_cast<uint32_t>(used_.size());
    used_.push_back(f);
    thresholds_.push_back(std::move(sorted));
  }
  for (size_t i = 0; i < a.n_nodes; ++i) {
    if (nodes_[i].leaf >= 0) continue;
    nodes_[i].feature = position[static_cast<size_t>(a.feature[i])];
    if (nodes_[i].asks == kSet) continue;
    const std::vector<double>& sorted = thresholds_[nodes_[i].feature];
    nodes_[i].rank = static_cast<uint16_t>(
        std::lower_bound(sorted.begin(), sorted.end(), a.threshold[i]) - sorted.begin());
  }
}

template <class T>
void Forest::rank_rows(const Matrix<T>& x, size_t begin, size_t end, uint16_t* ranks,
                       size_t stride) const {
  for (size_t f = 0; f < used_.size(); ++f) {
    const double* sorted = thresholds_[f].data();
    const size_t n = thresholds_[f].size();
    for (size_t row = begin; row < end; ++row) {
      const double value = x.at(row, static_cast<size_t>(used_[f]));
      // Halving without branches: which side a value is on cannot be foreseen.
      const double* base = sorted;
      for (size_t left = n; left > 1;) {
        const size_t half = left / 2;
        base += base[half - 1] < value ? half : 0;
        left -= half;
      }
      const auto rank = static_cast<uint16_t>((base - sorted) + (*base < value));
      ranks[f * stride + (row - begin)] = value != value ? kMissing : rank;
    }
  }
}

template <class Read>
void Forest::run(size_t n, const Read& read, bool by_bin, size_t first, size_t last, float* out,
                 int32_t* leaf, int n_threads) const {
  const double steps = static_cast<double>(n) * static_cast<double>(last - first);
  Team team(useful_threads(n_threads, steps, kStepsPerThread));
  const size_t stride = static_cast<size_t>(n_outputs_), trees = last - first;
  const Sets sets{sets_.data(), set_of_.data()};
  int32_t largest = 1;
  for (size_t tree = first; tree < last; ++tree)
    if (trees_[tree].last - trees_[tree].first <= kSmallTree)
      largest = std::max(largest, trees_[tree].last - trees_[tree].first);
  team.run_ranges(n, kRowsPerTask, [&](size_t from, size_t to) {
    const size_t size = used_.size() * kRowsPerBlock;
    std::vector<uint16_t> high(size, 0), low(size),
        answers(static_cast<size_t>(largest) * kRowsPerBlock);
    int32_t at[kRowsPerBlock];
    for (size_t begin = from; begin < to; begin += kRowsPerBlock) {
      const size_t rows = std::min(to - begin, kRowsPerBlock);
      read(begin, begin + rows, high.data());
      for (size_t i = 0; i < size; ++i) low[i] = high[i] == kMissing ? uint16_t(0) : high[i];
      const Block block{high.data(), low.data(), rows};
      for (size_t i = first; i < last; ++i) {
        const Tree& tree = trees_[i];
        if (rows >= kManyRows && tree.last - tree.first <= kSmallTree)
          ask_all(nodes_.data(), sets, tree, block, by_bin, answers.data(), at);
        else
          walk(nodes_.data(), sets, tree, block, by_bin, at);
        if (out)
          add_values(at, rows, values_.data(), leaf_outputs_,
                     out + begin * stride + tree.output, stride);
        for (size_t r = 0; leaf && r < rows; ++r)
          leaf[(begin + r) * trees + (i - first)] = at[r] - tree.first_leaf;
      }
    }
  });
}

template <class T>
void Forest::run_raw(const Matrix<T>& x, size_t first, size_t last, float* out, int32_t* leaf,
                     int n_threads) const {
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    rank_rows(x, begin, end, high, kRowsPerBlock);
  };
  run(x.n, read, false, first, last, out, leaf, n_threads);
}

template <class T>
void Forest::predict(const Matrix<T>& x, size_t first, size_t last, float* out,
                     int n_threads) const {
  run_raw(x, first, last, out, nullptr, n_threads);
}

template <class T>
void Forest::apply(const Matrix<T>& x, size_t first, size_t last, int32_t* leaf,
                   int n_threads) const {
  run_raw(x, first, last, nullptr, leaf, n_threads);
}

template <class T>
void Forest::rank(const Matrix<T>& x, uint16_t* ranks, int n_threads) const {
  const double work = static_cast<double>(x.n) * static_cast<double>(used_.size());
  Team team(useful_threads(n_threads, work, kStepsPerThread));
  team.run_ranges(x.n, kRowsPerTask, [&](size_t begin, size_t end) {
    rank_rows(x, begin, end, ranks + begin, x.n);
  });
}

void Forest::predict_ranks(const uint16_t* ranks, size_t n, size_t first, size_t last, float* out,
                           int n_threads) const {
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    for (size_t f = 0; f < used_.size(); ++f)
      std::copy(ranks + f * n + begin, ranks + f * n + end, high + f * kRowsPerBlock);
  };
  run(n, read, false, first, last, out, nullptr, n_threads);
}

void Forest::predict_codes(const Matrix<uint8_t>& codes, const int32_t* n_bins, size_t first,
                           size_t last, float* out, int n_threads) const {
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    for (size_t f = 0; f < used_.size(); ++f)
      for (size_t row = begin; row < end; ++row) {
        const int code = codes.data[static_cast<int64_t>(row) * codes.row_stride +
                                    used_[f] * codes.column_stride];
        high[f * kRowsPerBlock + (row - begin)] =
            code == n_bins[used_[f]] ? kMissing : static_cast<uint16_t>(code);
      }
  };
  run(codes.n, read, true, first, last, out, nullptr, n_threads);
}

template void Forest::predict(const Matrix<float>&, size_t, size_t, float*, int) const;
template void Forest::predict(const Matrix<double>&, size_t, size_t, float*, int) const;
template void Forest::rank(const Matrix<float>&, uint16_t*, int) const;
template void Forest::rank(const Matrix<double>&, uint16_t*, int) const;
template void Forest::apply(const Matrix<float>&, size_t, size_t, int32_t*, int) const;
template void Forest::apply(const Matrix<double>&, size_t, size_t, int32_t*, int) const;

}  // namespace wgb
