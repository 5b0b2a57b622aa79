// Leaf values in float64 from the training rows, and their use on those rows.
#pragma once

#include <cstdint>
#include <vector>

#include "lanes.hpp"

namespace wgb {

// values[tree][leaf, output] = sum(w g) / (sum(w c) + l2) over the rows of each leaf, c = 1
// without curvature; 0 where nothing carries mass. leaf is (trees, n). Returns whether all is
// well: false for a sum or value that is not finite, and for a curvature with a minus sign.
bool leaf_values(const Targets& targets, const std::vector<Block>& blocks, float l2,
                 const uint32_t* rows, size_t n_rows, const int32_t* leaf,
                 const std::vector<std::vector<float>*>& values, Team& team);

// Whether no value is NaN or infinite.
bool all_finite(const float* values, size_t n);

// state[row, first + output] += values[leaf[row], output]
void add_leaf_values(const int32_t* leaf, const float* values, int outputs, float* state,
                     int state_outputs, int first, size_t begin, size_t end);

}  // namespace wgb
