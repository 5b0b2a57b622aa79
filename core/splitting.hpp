// The best split of a node, from its histogram.
#pragma once

#include "histogram.hpp"

namespace wgb {

struct SplitRules {
  float min_samples_leaf;
  float min_weight_leaf;  // of averages only
  float l2;
  float min_gain;
};

struct Split {
  float gain = -1;  // below 0: there is none
  int feature = -1; // position in Columns
  int bin = -1;     // rows with a code up to this go left
  bool missing_left = false;
  bool saw_missing = false;  // else the side of missing values is open
  bool found() const { return feature >= 0; }
};

// splits[f] = the split on feature f with the largest gain, for features [first, last). A bin
// without rows is never an edge, so that equal partitions have one name. Gain: the sum over
// projected outputs of G^2 / (C + l2), left plus right minus the node's own. Of gains that are
// equal but for rounding the first wins: the lowest edge, missing values right.
void best_splits(const Columns& columns, const Layout& layout, const SplitRules& rules,
                 const float* histogram, int first, int last, Split* splits,
                 Workspace& workspace);

// The best over all features; the first of those that are equal but for rounding.
Split first_best(const std::vector<Split>& splits);

}  // namespace wgb
