// The nodes and trees of a flat ensemble as the predictor has them.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace wgb {

constexpr uint16_t kMissingRank = std::numeric_limits<uint16_t>::max();
constexpr uint16_t kNoCategory = 255;  // what is beyond the last possible category is missing

enum Asks : uint8_t { kRight = 0, kLeft = 1, kSet = 2 };

// The ranks between which the rows of a node's children lie: [left, left + left_width] and so on.
struct Hull {
  uint16_t left = 0xFFFE, left_width = 0, right = 0xFFFE, right_width = 0;  // no rank lies within
  bool has(uint16_t rank) const {
    return static_cast<uint16_t>(rank - left) <= left_width ||
           static_cast<uint16_t>(rank - right) <= right_width;
  }
};

struct ForestNode {
  int32_t next;      // left child, or the node itself for a leaf; counts over all trees
  uint32_t feature;  // position among the features in use
  int32_t leaf;      // row of values over all trees, -1 for an inner node
  uint16_t rank;     // left if the value's rank is at most this
  uint8_t bin;       // the same for codes
  uint8_t asks;      // kRight, kLeft: where missing values go; kSet: for a set of categories
  Hull hull;         // of the training rows of its children, if they are known
};

struct ForestTree {
  int32_t first, last;  // nodes
  int32_t output;
  int32_t first_leaf;
};

[[noreturn]] inline void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace wgb
