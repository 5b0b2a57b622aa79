// Categorical features: sets of codes, and the order in which their categories are scanned.
#pragma once

#include <cstdint>

#include "lanes.hpp"

namespace wgb {

// A set of codes. A feature has at most 255 categories, so that 255 is never one of them.
struct CategorySet {
  static constexpr int kWords = 8;
  uint32_t bits[kWords] = {};
  bool has(int code) const { return bits[code >> 5] >> (code & 31) & 1u; }
  void add(int code) { bits[code >> 5] |= 1u << (code & 31); }
};

// The categories of a node: those that go left, and all that have rows in it.
struct CategorySplit {
  CategorySet left, seen;
  // The codes that go left, all others being where missing values go.
  CategorySet with_others(bool others_left) const {
    CategorySet set = left;
    for (int w = 0; others_left && w < CategorySet::kWords; ++w) set.bits[w] |= ~seen.bits[w];
    return set;
  }
};

// Doubles that order_categories needs to work in.
size_t category_memory(const Layout& layout);

// Lists the codes that have rows in a node's histogram of one feature (bins + 1, width), in the
// order of their movements along the leading axis, and returns their number. `total` (width) sums
// the node. A category's movement is its mean minus the node's, as if more mass, `smooth` (width),
// had moved like the node.
int order_categories(const float* histogram, int bins, const Layout& layout, const float* total,
                     const float* smooth, double* memory, uint8_t* order);

}  // namespace wgb
