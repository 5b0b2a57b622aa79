// Scores and curvatures of the posteriors of the two responses of the paper.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallel.hpp"

namespace wgb {

// A number per row, or one for all.
struct PerRow {
  const float* values;
  bool one;
  float at(size_t row) const { return values[one ? 0 : row]; }
};

// Normal response, particles (mean, log scale); prior mean ~ N(prior_mean, prior_scale^2) and
// scale ~ InverseGamma(shape, rate); the row's likelihood counts `evidence` times.
struct NormalPosterior {
  const float* y;  // (n)
  PerRow prior_mean, prior_scale, shape, rate, evidence;
};

void normal_posterior(const NormalPosterior& posterior, const float* particles, size_t n, int m,
                      float* score, float* curvature, Team& team);

// Categorical response, particles d log-ratios to the last class; prior N(prior_mean, prior_scale^2)
// for each.
struct CategoricalPosterior {
  const int32_t* y;  // (n), 0 to d
  PerRow prior_mean, prior_scale, evidence;
};

void categorical_posterior(const CategoricalPosterior& posterior, const float* particles, size_t n,
                           int m, int d, float* score, float* curvature, Team& team);

}  // namespace wgb
