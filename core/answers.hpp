// Which leaves of a tree a block of rows reaches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boundaries.hpp"
#include "categories.hpp"
#include "dispatch.hpp"
#include "forest_nodes.hpp"

namespace wgb {

constexpr size_t kRowsPerBlock = 64;   // rows walked down a tree together

// What the nodes ask of a block of rows, feature by feature; missing values as the largest
// number, and once more as the smallest.
struct RankBlock {
  const uint16_t* high;
  const uint16_t* low;
  size_t rows;
};

// The sets of the nodes that ask for one.
struct Sets {
  const CategorySet* sets;
  const uint32_t* of;  // (nodes)
  const CategorySet& at(int32_t node) const { return sets[of[node]]; }
  const SeenCategories& seen_at(const Boundaries& boundaries, int32_t node) const {
    return boundaries.seen[of[node]];
  }
};

// A category's rank is its code. What is beyond the last possible one is missing.
WGB_INLINE bool has_rank(const CategorySet& set, uint16_t rank) {
  return set.has(rank < kNoCategory ? rank : kNoCategory);
}

// What nodes and rows have in common.
struct Asking {
  const ForestNode* nodes;
  Sets sets;
  RankBlock block;
  bool by_bin;
  const Boundaries* boundaries;  // or null: nobody asks whether rows left a range
};

// Small trees: every node is asked for all rows of the block at once, from the last node to the
// root, and passes on its left or right child's answer. `answers` has room for a tree's nodes.
// With boundaries, returns the number of rows that left a range, and lists them: their `leaf` is ~n,
// where n is a node on their path that comes no later than the first that they left.
size_t ask_all(const Asking& asking, const ForestTree& tree, uint16_t* answers, int32_t* leaf,
               uint8_t* lost_rows);

// The child of an inner node that a row of the block goes to.
inline int32_t next_node(const Asking& asking, int32_t at, size_t r) {
  const ForestNode& node = asking.nodes[at];
  const uint16_t* values = node.asks == kLeft ? asking.block.low : asking.block.high;
  const uint16_t value = values[node.feature * kRowsPerBlock + r];
  const uint16_t cut = asking.by_bin ? node.bin : node.rank;
  const bool go_left = node.asks == kSet ? has_rank(asking.sets.at(at), value) : value <= cut;
  return node.next + !go_left;
}

// Large trees: the leaf of a row below a node.
int32_t descend(const Asking& asking, int32_t at, size_t r);

}  // namespace wgb
