// The best split of a node, from its histogram.
#pragma once

#include <memory>

#include "categories.hpp"
#include "histogram.hpp"
#include "monotone.hpp"

namespace wgb {

struct SplitRules {
  float min_samples_leaf;
  float min_weight_leaf;  // of averages only
  float l2;
  float min_gain;
  float cat_smooth;       // rows that pull a category to the node's mean when they are ordered
  float cat_penalty;      // how much of what chance explains is taken off the gain of categories
};

struct Split {
  float gain = -1;  // below 0: there is none
  int feature = -1; // position in Columns
  int bin = -1;     // rows with a code up to this go left; of a categorical feature, `categories`
  bool missing_left = false;
  bool saw_missing = false;  // else the side of missing values is open
  std::shared_ptr<const CategorySplit> categories = nullptr;
  bool found() const { return feature >= 0; }
};

// What constraints make of a node: the held outputs, their histogram there, and their bounds.
struct HeldNode {
  const HeldOutputs* outputs;
  const float* histogram;
  const Bounds* bounds;
};

// What the search has to know of a tree and a node to judge categories.
struct CategoryRules {
  const float* smooth;      // (width), see order_categories
  const double* reference;  // (k), see Scatter
  const Scatter* scatter;   // of the node
};

// splits[f] = the split on feature f with the largest gain, for features [first, last). A bin
// without rows is never an edge, so that equal partitions have one name. Gain: the sum over
// projected outputs of G^2 / (C + l2), left plus right minus the node's own. Of gains that are
// equal but for rounding the first wins: the lowest edge, missing values right. Categories are brought
// into order first (order_categories) and then parted at an edge like bins; their gain is less what
// chance explains of it (shrink_categories).
// With `held` the gain of a constrained feature is that of what a split may do, see HeldOutputs.
// Bins that are not `listed` are not read. `occupied` takes the bins that have rows, or all of them
// where a feature needs all: one of categories, and every feature with `held`.
void best_splits(const Columns& columns, const Layout& layout, const SplitRules& rules,
                 const float* histogram, const BinLists& listed, const CategoryRules& categories,
                 int first, int last, Split* splits, BinLists* occupied, Workspace& workspace,
                 const HeldNode* held = nullptr);

// Sums (width) of a whole node.
void node_totals(const Columns& columns, const Layout& layout, const float* histogram,
                 const BinLists& listed, float* total);

// The best over all features; the first of those that are equal but for rounding.
Split first_best(const std::vector<Split>& splits);

}  // namespace wgb
