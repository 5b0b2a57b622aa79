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

void AveragedCategorical::probabilities(const double* x, double* out) const {
  const size_t d = frequency.size();
  const double highest = std::max(0.0, *std::max_element(x, x + d));
  double sum = std::exp(-highest);
  for (size_t k = 0; k < d; ++k) sum += out[k] = std::exp(x[k] - highest);
  for (size_t k = 0; k < d; ++k) out[k] /= sum;
}

void AveragedCategorical::at(const double* x, int m, double* score, double* curvature) const {
  const double precision = 1.0 / prior_scale / prior_scale;
  const size_t d = frequency.size();
  for (size_t j = 0; j < d * static_cast<size_t>(m); j += d) {
    probabilities(x + j, curvature + j);
    for (size_t k = 0; k < d; ++k) {
      const double p = curvature[j + k];
      score[j + k] = evidence * (frequency[k] - p) + (prior_mean - x[j + k]) * precision;
      curvature[j + k] = evidence * (p * (1 - p)) + precision;
    }
  }
}

void AveragedCategorical::fisher(const double* x, double* information) const {
  probabilities(x, information);
  for (size_t k = 0; k < frequency.size(); ++k)
    information[k] = evidence * (information[k] * (1 - information[k]));
}

namespace {

template <class Posterior>
void settle_at(const Posterior& posterior, const FlowRules& rules, int m, double* particles) {
  const size_t d = static_cast<size_t>(posterior.params()), size = d * static_cast<size_t>(m);
  std::vector<double> now(particles, particles + size), before = now, earlier(size), step(size),
      score(size), curvature(size);
  std::vector<double> metric(d, 1.0), middle(d);
  for (int i = 0; i < rules.steps; ++i) {
    caller.ask();
    posterior.at(now.data(), m, score.data(), curvature.data());
    if (rules.scaled) {
      std::fill(middle.begin(), middle.end(), 0.0);
      for (size_t p = 0; p < size; ++p) middle[p % d] += now[p] / m;
      posterior.fisher(middle.data(), metric.data());
    }
    newton_step(now.data(), score.data(), curvature.data(), metric.data(), rules.bandwidth, m,
                posterior.params(), step.data());
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

}  // namespace

void settle(const AveragedNormal& posterior, const FlowRules& rules, int m, double* particles) {
  settle_at(posterior, rules, m, particles);
}

void settle(const AveragedCategorical& posterior, const FlowRules& rules, int m,
            double* particles) {
  settle_at(posterior, rules, m, particles);
}

}  // namespace wgb
