// Checking the arrays of an ensemble.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "forest.hpp"

namespace wgb {
namespace {

constexpr size_t kMostThresholds = 65533;

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
      ForestNode& node = nodes_[static_cast<size_t>(i)];
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

  if (a.ranges) boundaries_.read(a, n_features, thresholds);
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
    if (sorted.size() > kMostThresholds)
      refuse("feature " + std::to_string(f) + " has more than 65,533 different thresholds");
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
  if (a.ranges) boundaries_.place(nodes_, thresholds_);
}

}  // namespace wgb
