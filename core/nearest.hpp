// The distance of rows to the nearest of some training rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel.hpp"

namespace wgb {

// Training rows as columns: points[f * n_points + i] is row i. The distance of two rows is the sum
// over features of |a - b|, less `shrink` but at least 0; for a categorical feature it is `mismatch`
// where a != b.
struct NearestRows {
  const float* points;
  size_t n_points, n_features;
  const uint8_t* categorical;  // (features)
  const float* shrink;         // (features)
  float mismatch;
};

// Writes the two smallest distances of each row (n, features) to `out` (n, 2), infinite where there
// are fewer training rows.
void nearest_distances(const NearestRows& known, const float* rows, size_t n, float* out,
                       Team& team);

}  // namespace wgb
