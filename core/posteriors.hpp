// Posteriors of the two responses of the paper.
#pragma once

#include <cstdint>

#include "parallel.hpp"
#include "rows.hpp"

namespace wgb {

// Normal response, particles (mean, log scale); prior mean ~ N(prior_mean, prior_scale^2) and
// scale ~ InverseGamma(shape, rate); the row's likelihood counts `evidence` times.
struct NormalPosterior : Derivatives {
  PerRow y, prior_mean, prior_scale, shape, rate, evidence;
  void at(const RowBlock& rows, const float* x, int m, int d, float* score,
          float* curvature) const override;
};

// Categorical response, particles d log-ratios to the last class; prior N(prior_mean, prior_scale^2)
// for each. y is the class, 0 to d.
struct CategoricalPosterior : Derivatives {
  PerRow y, prior_mean, prior_scale, evidence;
  void at(const RowBlock& rows, const float* x, int m, int d, float* score,
          float* curvature) const override;
};

// Score and curvature (n, m, d) at particles (n, m, d).
void derivatives_at(const Derivatives& density, const float* particles, size_t n, int m, int d,
                    float* score, float* curvature, Team& team);

}  // namespace wgb
