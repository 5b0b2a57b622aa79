#include "flow.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "directions.hpp"
#include "parallel.hpp"

namespace wgb {
namespace {

// Squares of the largest scale over the smallest are finite.
constexpr double kLogScale = 170.0;

double inverse_scale(double log_scale) {
  return std::exp(-std::min(std::max(log_scale, -kLogScale), kLogScale));
}

}  // namespace

void AveragedNormal::at(const double* x, int m, double* score, double* curvature) const {
  const double precision = 1.0 / prior_scale / prior_scale;
  for (int j = 0; j < 2 * m; j += 2) {
    const double inverse = inverse_scale(x[j + 1]), residual = (mean - x[j]) * inverse;
    const double square = residual * residual + variance * (inverse * inverse);
    const double pull = rate * inverse;
    score[j] = evidence * (residual * inverse) + (prior_mean - x[j]) * precision;
    score[j + 1] = evidence * (square - 1) + (pull - shape);
    curvature[j] = evidence * (inverse * inverse) + precision;
    curvature[j + 1] = evidence * (2 * square) + pull;
  }
}

void AveragedNormal::fisher(const double* x, double* information) const {
  const double inverse = inverse_scale(x[1]);
  information[0] = evidence * (inverse * inverse);
  information[1] = evidence * 2;
}

void settle(const AveragedNormal& posterior, const FlowRules& rules, int m, double* particles) {
  const size_t size = 2 * static_cast<size_t>(m);
  std::vector<double> now(particles, particles + size), before = now, earlier(size), step(size),
      score(size), curvature(size);
  double metric[2] = {1.0, 1.0};
  for (int i = 0; i < rules.steps; ++i) {
    caller.ask();
    posterior.at(now.data(), m, score.data(), curvature.data());
    if (rules.scaled) {
      double middle[2] = {0.0, 0.0};
      for (size_t p = 0; p < size; ++p) middle[p % 2] += now[p] / m;
      posterior.fisher(middle, metric);
    }
    newton_step(now.data(), score.data(), curvature.data(), metric, rules.bandwidth, m, 2,
                step.data());
    std::swap(earlier, before);
    before = now;
    double moved = 0;
    for (size_t p = 0; p < size; ++p) {
      now[p] += rules.rate * step[p];
      moved = std::max(moved, std::fabs(now[p] - earlier[p]));
    }
    // A flow that has settled stands still or swings between two states. It ends between the two:
    // which one comes last is a matter of rounding.
    if (moved < rules.still) {
      for (size_t p = 0; p < size; ++p) now[p] = (now[p] + before[p]) / 2;
      break;
    }
  }
  std::copy(now.begin(), now.end(), particles);
}

}  // namespace wgb
