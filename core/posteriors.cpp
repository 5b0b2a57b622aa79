#include "posteriors.hpp"

#include <algorithm>
#include <vector>

#include "vectormath.hpp"

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 2048;
constexpr size_t kLanes = 32;  // particles side by side
// Beyond this log scale, 1e13 times smaller or larger than y, squares leave the range of float32.
constexpr float kLogScale = 30.0f;

// Arrays of kLanes particles, each with the numbers of its row.
struct NormalLanes {
  float y[kLanes], mean0[kLanes], precision[kLanes], shape[kLanes], rate[kLanes], evidence[kLanes];
};

WGB_INLINE void normal_lanes(const NormalLanes& l, const float* WGB_RESTRICT in,
                             float* WGB_RESTRICT score, float* WGB_RESTRICT curvature) {
  for (size_t i = 0; i < kLanes; ++i) {
    const float mean = in[2 * i];
    float log_scale = in[2 * i + 1];
    log_scale = log_scale < -kLogScale ? -kLogScale : log_scale;
    log_scale = log_scale > kLogScale ? kLogScale : log_scale;
    const float inverse = fast_exp(-log_scale), precision = inverse * inverse;
    const float residual = l.y[i] - mean;
    const float weighted = l.evidence[i] * precision;
    const float square = weighted * residual * residual;
    const float pull = l.rate[i] * inverse;
    score[2 * i] = weighted * residual - (mean - l.mean0[i]) * l.precision[i];
    score[2 * i + 1] = square - l.evidence[i] - l.shape[i] + pull;
    curvature[2 * i] = weighted + l.precision[i];
    curvature[2 * i + 1] = 2.0f * square + pull;
  }
}

WGB_CLONES void normal_block(const NormalLanes& l, const float* in, float* score,
                             float* curvature) {
  normal_lanes(l, in, score, curvature);
}

}  // namespace

void normal_posterior(const NormalPosterior& p, const float* particles, size_t n, int m,
                      float* score, float* curvature, Team& team) {
  const size_t per_row = static_cast<size_t>(m);
  team.run_ranges(n, kRowsPerTask, [&](size_t begin, size_t end) {
    NormalLanes lanes{};
    float in[2 * kLanes] = {}, out_score[2 * kLanes], out_curvature[2 * kLanes];
    size_t row = begin, particle = 0;
    const size_t last = end * per_row;
    for (size_t from = begin * per_row; from < last; from += kLanes) {
      const size_t count = std::min(kLanes, last - from);
      for (size_t i = 0; i < count; ++i) {
        lanes.y[i] = p.y[row];
        lanes.mean0[i] = p.prior_mean.at(row);
        const float scale = p.prior_scale.at(row);
        lanes.precision[i] = 1.0f / (scale * scale);
        lanes.shape[i] = p.shape.at(row);
        lanes.rate[i] = p.rate.at(row);
        lanes.evidence[i] = p.evidence.at(row);
        if (++particle == per_row) {
          particle = 0;
          ++row;
        }
      }
      std::copy(particles + 2 * from, particles + 2 * (from + count), in);
      normal_block(lanes, in, out_score, out_curvature);
      std::copy(out_score, out_score + 2 * count, score + 2 * from);
      std::copy(out_curvature, out_curvature + 2 * count, curvature + 2 * from);
    }
  });
}

void categorical_posterior(const CategoricalPosterior& p, const float* particles, size_t n, int m,
                           int d, float* score, float* curvature, Team& team) {
  const size_t size = static_cast<size_t>(d);
  team.run_ranges(n, kRowsPerTask, [&](size_t begin, size_t end) {
    std::vector<float> share(size);
    for (size_t row = begin; row < end; ++row) {
      const float evidence = p.evidence.at(row), mean0 = p.prior_mean.at(row);
      const float scale = p.prior_scale.at(row), precision = 1.0f / (scale * scale);
      for (size_t j = 0; j < static_cast<size_t>(m); ++j) {
        const size_t at = (row * static_cast<size_t>(m) + j) * size;
        float largest = 0;  // the log-ratio of the last class
        for (size_t k = 0; k < size; ++k) largest = std::max(largest, particles[at + k]);
        float sum = fast_exp(-largest);
        for (size_t k = 0; k < size; ++k) {
          share[k] = fast_exp(particles[at + k] - largest);
          sum += share[k];
        }
        for (size_t k = 0; k < size; ++k) {
          const float probability = share[k] / sum;
          const float hit = p.y[row] == static_cast<int32_t>(k) ? 1.0f : 0.0f;
          score[at + k] =
              evidence * (hit - probability) - (particles[at + k] - mean0) * precision;
          curvature[at + k] = evidence * probability * (1.0f - probability) + precision;
        }
      }
    }
  });
}

}  // namespace wgb
