// How particles should move: kernel-smoothed scores and curvatures with repulsion.
#pragma once

#include <cstddef>

#include "parallel.hpp"
#include "rows.hpp"

namespace wgb {

// For every row and particle j, with k_jl = exp(-sum_p A_p (x_jp - x_lp)^2 / h) and
// r_jl = (2 A / h) (x_j - x_l) k_jl, means over particles l:
//   gradient_j = score_l k_jl + r_jl
//   smoothed_j = curvature_l k_jl^2 + r_jl^2, kept positive (see below)
// A is the row's metric, or 1; h the row's bandwidth. A smoothed curvature that is negative
// or below 1e-12, for parameters are of moderate size, becomes its own absolute value or 1e-6 of the
// row's largest |curvature| in that parameter, whichever is larger, and 1 where these vanish too.
struct DirectionTask {
  const float* particles;      // (n, m, d)
  const Derivatives& density;  // of each row
  const float* metric;         // (n, d), or null
  PerRow bandwidth;
  size_t n;
  int m, d;
  bool curved;      // whether there is a curvature
  float* gradient;  // (n, m, d)
  float* smoothed;  // (n, m, d), or null: curved gradients then come divided by it
};

void kernel_direction(const DirectionTask& task, Team& team);

// gradient / smoothed of one set of particles (m, d) in double precision.
void newton_step(const double* particles, const double* score, const double* curvature,
                 const double* metric, double bandwidth, int m, int d, double* step);

}  // namespace wgb
