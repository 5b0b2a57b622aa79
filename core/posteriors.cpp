#include "posteriors.hpp"

#include <algorithm>

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 1024;
// Beyond this log scale, 1e13 times smaller or larger than y, squares leave the range of float32.
constexpr float kLogScale = 30.0f;

// One number per lane for each of the row's parameters.
using OfRow = float[kLanes];

struct NormalLanes {
  OfRow y, mean0, scale0, shape, rate, evidence;
};

struct NormalLoop {
  template <class Vec>
  WGB_INLINE static void run(size_t lane, const NormalLanes* rows, const float* x, int m,
                             float* score, float* curvature) {
    const Vec y = load<Vec>(rows->y + lane), mean0 = load<Vec>(rows->mean0 + lane);
    const Vec scale0 = load<Vec>(rows->scale0 + lane), shape = load<Vec>(rows->shape + lane);
    const Vec rate = load<Vec>(rows->rate + lane), evidence = load<Vec>(rows->evidence + lane);
    const Vec precision = all_of<Vec>(1.0f) / (scale0 * scale0);
    const Vec most = all_of<Vec>(kLogScale);
    for (size_t at = lane; at < 2 * kLanes * static_cast<size_t>(m); at += 2 * kLanes) {
      const Vec mean = load<Vec>(x + at), log_scale = load<Vec>(x + at + kLanes);
      const Vec inverse = exp_of(smaller(larger(log_scale, most * -1.0f), most) * -1.0f);
      const Vec weighted = evidence * (inverse * inverse), residual = y - mean;
      const Vec square = weighted * residual * residual, pull = rate * inverse;
      store(score + at, weighted * residual - (mean - mean0) * precision);
      store(score + at + kLanes, square - evidence - shape + pull);
      if (curvature) {
        store(curvature + at, weighted + precision);
        store(curvature + at + kLanes, square * 2.0f + pull);
      }
    }
  }
};

struct CategoricalLanes {
  OfRow y, mean0, scale0, evidence;
};

struct CategoricalLoop {
  template <class Vec>
  WGB_INLINE static void run(size_t lane, const CategoricalLanes* rows, const float* x, int m,
                             int d, float* score, float* curvature) {
    const Vec y = load<Vec>(rows->y + lane), mean0 = load<Vec>(rows->mean0 + lane);
    const Vec scale0 = load<Vec>(rows->scale0 + lane), evidence = load<Vec>(rows->evidence + lane);
    const Vec zero = all_of<Vec>(0.0f), one = all_of<Vec>(1.0f);
    const Vec precision = one / (scale0 * scale0);
    const size_t width = static_cast<size_t>(d) * kLanes;
    for (size_t j = lane; j < width * static_cast<size_t>(m); j += width) {
      Vec largest = zero;  // the log-ratio of the last class
      for (size_t p = j; p < j + width; p += kLanes) largest = larger(largest, load<Vec>(x + p));
      Vec sum = exp_of(largest * -1.0f);
      for (size_t p = j; p < j + width; p += kLanes) {
        const Vec share = exp_of(load<Vec>(x + p) - largest);
        store(score + p, share);
        sum = sum + share;
      }
      const Vec inverse = one / sum;
      float k = 0;
      for (size_t p = j; p < j + width; p += kLanes, k += 1) {
        const Vec probability = load<Vec>(score + p) * inverse;
        const Vec hit = choose_positive(absolute(y - all_of<Vec>(k)), zero, one);
        store(score + p, evidence * (hit - probability) - (load<Vec>(x + p) - mean0) * precision);
        if (curvature)
          store(curvature + p, evidence * probability * (one - probability) + precision);
      }
    }
  }
};

}  // namespace

void NormalPosterior::at(const RowBlock& rows, const float* x, int m, int, float* score,
                         float* curvature) const {
  NormalLanes lanes;
  y.at(rows, lanes.y);
  prior_mean.at(rows, lanes.mean0);
  prior_scale.at(rows, lanes.scale0);
  shape.at(rows, lanes.shape);
  rate.at(rows, lanes.rate);
  evidence.at(rows, lanes.evidence);
  run_lanes<NormalLoop>(&lanes, x, m, score, curvature);
}

void CategoricalPosterior::at(const RowBlock& rows, const float* x, int m, int d, float* score,
                              float* curvature) const {
  CategoricalLanes lanes;
  y.at(rows, lanes.y);
  prior_mean.at(rows, lanes.mean0);
  prior_scale.at(rows, lanes.scale0);
  evidence.at(rows, lanes.evidence);
  run_lanes<CategoricalLoop>(&lanes, x, m, d, score, curvature);
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
