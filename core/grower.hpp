// Grows the trees of one round: one shared by all particles, or one per particle.
#pragma once

#include <cstdint>
#include <vector>

#include "histogram.hpp"
#include "splitting.hpp"

namespace wgb {

struct GrowRules {
  bool best_first;
  int max_depth;   // 0: no limit
  int max_leaves;  // 0: no limit
  SplitRules split;
};

// One tree as a node table. Children stand side by side behind their parent; a leaf has
// feature -1 and a row of `values`.
struct TreeTable {
  std::vector<int32_t> feature, left, leaf;
  std::vector<int32_t> category_set;  // which of `sets` goes left, -1: codes up to `bin` do
  std::vector<uint8_t> bin, missing_left;
  std::vector<float> gain;
  std::vector<int64_t> cover;  // training rows
  std::vector<float> values;   // (leaves, outputs)
  std::vector<CategorySet> sets;
  size_t n_leaves = 0;
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
  Workspace* workspace;
};

// Trees in the order of the blocks, and leaf (trees, n): where every row, drawn or not, ends up.
// `clean` tells whether the targets made sense, see leaf_values.
std::vector<TreeTable> grow(const GrowTask& task, int n_threads, int32_t* leaf, bool* clean);

}  // namespace wgb
