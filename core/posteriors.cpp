#include "posteriors.hpp"

#include <algorithm>

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 1024;
// Beyond this log scale, 1e13 times smaller or larger than y, squares leave the range of float32.
constexpr float kLogScale = 30.0f;

struct NormalLanes {
  Vec16 y, mean0, precision, shape, rate, evidence;
};

WGB_CLONES void normal_lanes(const NormalLanes& given, const float* x, int m, float* score,
                             float* curvature) {
  const NormalLanes l = given;
  for (int j = 0; j < m; ++j, x += 2 * kLanes, score += 2 * kLanes) {
    const Vec16 mean = load16(x);
    const Vec16 log_scale = smaller(larger(load16(x + kLanes), all16(-kLogScale)), all16(kLogScale));
    const Vec16 inverse = exp16(log_scale * -1.0f);
    const Vec16 weighted = l.evidence * (inverse * inverse), residual = l.y - mean;
    const Vec16 square = weighted * residual * residual, pull = l.rate * inverse;
    store16(score, weighted * residual - (mean - l.mean0) * l.precision);
    store16(score + kLanes, square - l.evidence - l.shape + pull);
    if (curvature) {
      store16(curvature, weighted + l.precision);
      store16(curvature + kLanes, square * 2.0f + pull);
      curvature += 2 * kLanes;
    }
  }
}

struct CategoricalLanes {
  Vec16 y, mean0, precision, evidence;
};

WGB_CLONES void categorical_lanes(const CategoricalLanes& given, const float* x, int m, int d,
                                  float* score, float* curvature) {
  const CategoricalLanes l = given;
  const size_t width = static_cast<size_t>(d) * kLanes;
  const Vec16 zero = all16(0.0f), one = all16(1.0f);
  for (int j = 0; j < m; ++j, x += width, score += width) {
    Vec16 largest = zero;  // the log-ratio of the last class
    for (size_t p = 0; p < width; p += kLanes) largest = larger(largest, load16(x + p));
    Vec16 sum = exp16(largest * -1.0f);
    for (size_t p = 0; p < width; p += kLanes) {
      const Vec16 share = exp16(load16(x + p) - largest);
      store16(score + p, share);
      sum = sum + share;
    }
    const Vec16 inverse = one / sum;
    float k = 0;
    for (size_t p = 0; p < width; p += kLanes, k += 1) {
      const Vec16 probability = load16(score + p) * inverse;
      const Vec16 hit = choose_positive(absolute(l.y - all16(k)), zero, one);
      store16(score + p, l.evidence * (hit - probability) - (load16(x + p) - l.mean0) * l.precision);
      if (curvature)
        store16(curvature + p, l.evidence * probability * (one - probability) + l.precision);
    }
    if (curvature) curvature += width;
  }
}

Vec16 inverse_square(const Vec16& scale) { return all16(1.0f) / (scale * scale); }

}  // namespace

void NormalPosterior::at(const RowBlock& rows, const float* x, int m, int, float* score,
                         float* curvature) const {
  normal_lanes({y.at(rows), prior_mean.at(rows), inverse_square(prior_scale.at(rows)),
                shape.at(rows), rate.at(rows), evidence.at(rows)},
               x, m, score, curvature);
}

void CategoricalPosterior::at(const RowBlock& rows, const float* x, int m, int d, float* score,
                              float* curvature) const {
  categorical_lanes({y.at(rows), prior_mean.at(rows), inverse_square(prior_scale.at(rows)),
                     evidence.at(rows)},
                    x, m, d, score, curvature);
}

void derivatives_at(const Derivatives& density, const float* particles, size_t n, int m, int d,
                    float* score, float* curvature, Team& team) {
  const size_t size = static_cast<size_t>(m) * static_cast<size_t>(d);
  team.run_ranges(n, kRowsPerTask, [&](size_t begin, size_t end) {
    LaneArrays lanes(3, size);
    float *x = lanes[0], *first = lanes[1], *second = lanes[2];
    for (size_t from = begin; from < end; from += kLanes) {
      const RowBlock rows{from, std::min(kLanes, end - from)};
      rows_to_lanes(particles, rows, size, x);
      density.at(rows, x, m, d, first, second);
      lanes_to_rows(first, rows, size, score);
      lanes_to_rows(second, rows, size, curvature);
    }
  });
}

}  // namespace wgb
