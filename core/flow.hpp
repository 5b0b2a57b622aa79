// The flow of particles that all rows have in common.
#pragma once

#include <vector>

namespace wgb {

// The average over rows of normal posteriors, particles (mean, log scale), in double precision.
// y enters by its mean and variance; the prior is that of NormalPosterior.
struct AveragedNormal {
  static constexpr int params() { return 2; }
  double mean, variance, prior_mean, prior_scale, shape, rate, evidence;
  // Score and curvature (m, 2) at particles (m, 2).
  void at(const double* x, int m, double* score, double* curvature) const;
  // Evidence times the diagonal of the Fisher information (2) at one particle.
  void fisher(const double* x, double* information) const;
};

// The same of categorical posteriors, particles (log-ratios to the last class). y enters by the
// frequencies (d) of the classes but the last.
struct AveragedCategorical {
  int params() const { return static_cast<int>(frequency.size()); }
  std::vector<double> frequency;
  double prior_mean, prior_scale, evidence;
  void at(const double* x, int m, double* score, double* curvature) const;
  void fisher(const double* x, double* information) const;

 private:
  void probabilities(const double* x, double* out) const;
};

struct FlowRules {
  int steps;
  double rate, still, bandwidth;
  bool scaled;  // distances in units of the Fisher information at the mean particle
};

// Moves particles (m, params) along gradient / smoothed (see newton_step) and returns after so many
// steps, or midway between the last two states once every other one is the same but for `still`.
void settle(const AveragedNormal& posterior, const FlowRules& rules, int m, double* particles);
void settle(const AveragedCategorical& posterior, const FlowRules& rules, int m, double* particles);

}  // namespace wgb
