// Grows the trees of one round: one shared by all particles, or one per particle (round.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.hpp"
#include "splitting.hpp"
#include "tree_table.hpp"

namespace wgb {

struct GrowRules {
  bool best_first;
  int max_depth;   // 0: no limit
  int max_leaves;  // 0: no limit
  SplitRules split;
};

struct GrowTask {
  Columns columns;
  Targets targets;
  std::vector<Block> blocks;  // one tree each
  Projection projection;
  const float* matrix;        // random projection (outputs of a block, k)
  int random_k;
  const uint32_t* rows;       // ascending, or null: all
  size_t n_rows;
  GrowRules rules;
  Monotone monotone;
  std::vector<std::vector<uint8_t>> groups;  // of features (p) that may meet on a path; none: all
  Workspace* workspace;
};

// One tree, whose rows have these lanes. `root` is the root's histogram when it has been made
// already, `held` what constraints hold, or null. Leaf values are open, and `leaf` (n) is filled.
TreeTable grow_tree(const GrowTask& task, const Layout& layout, const float* lanes, Lease root,
                    const HeldOutputs* held, Team& team, int32_t* leaf);

// Trees in the order of the blocks, and leaf (trees, n): where every row, drawn or not, ends up.
// `clean` tells whether the targets made sense, see leaf_values.
std::vector<TreeTable> grow(const GrowTask& task, int n_threads, int32_t* leaf, bool* clean);

}  // namespace wgb
