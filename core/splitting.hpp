// The best split of a node, from its histogram.
#pragma once

#include "histogram.hpp"

namespace wgb {

struct SplitRules {
  float min_samples_leaf;
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

// The split of features [first, last) with the largest gain; the first of equals. A bin without
// rows is never an edge, so that equal partitions have one name. Gain: the sum over projected
// outputs of G^2 / (C + l2), left plus right minus the node's own.
Split best_split(const Columns& columns, const Layout& layout, const SplitRules& rules,
                 const float* histogram, int first, int last, Workspace& workspace);

}  // namespace wgb
