#include "directions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectormath.hpp"

namespace wgb {
namespace {

constexpr size_t kRows = 16;         // rows side by side, one to a lane
constexpr size_t kRowsPerTask = 1024;
constexpr float kFloor = 1e-6f;

// Arrays (m, d, kRows) of one block of rows.
struct Scratch {
  std::vector<float> x, score, curvature, gradient, smoothed, metric;
  explicit Scratch(size_t size, size_t d)
      : x(size), score(size), curvature(size), gradient(size), smoothed(size), metric(d * kRows) {}
};

// Rows to lanes; lanes beyond the last row repeat it.
void transpose_in(const float* from, size_t rows, size_t size, float* to) {
  const float* row[kRows];
  for (size_t r = 0; r < kRows; ++r) row[r] = from + std::min(r, rows - 1) * size;
  for (size_t i = 0; i < size; ++i)
    for (size_t r = 0; r < kRows; ++r) to[i * kRows + r] = row[r][i];
}

void transpose_out(const float* from, size_t rows, size_t size, float* to) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t i = 0; i < size; ++i) to[r * size + i] = from[i * kRows + r];
}

// exp(-q / h) of the squared distances between two particles.
WGB_INLINE void pair_kernel(const float* WGB_RESTRICT xj, const float* WGB_RESTRICT xl,
                            const float* WGB_RESTRICT metric, const float* WGB_RESTRICT inverse,
                            int d, float* WGB_RESTRICT k) {
  for (size_t r = 0; r < kRows; ++r) k[r] = 0;
  for (size_t p = 0; p < static_cast<size_t>(d) * kRows; p += kRows)
    for (size_t r = 0; r < kRows; ++r) {
      const float apart = xj[p + r] - xl[p + r];
      k[r] += metric[p + r] * apart * apart;
    }
  for (size_t r = 0; r < kRows; ++r) {
    const float t = k[r] * inverse[r];
    k[r] = fast_exp(-t) * static_cast<float>(t < 87.0f);  // far apart: nothing, without a branch
  }
}

// One parameter of both particles of a pair: k is symmetric, the push changes its sign.
template <bool Curved>
WGB_INLINE void pair_parameter(const float* WGB_RESTRICT xj, const float* WGB_RESTRICT xl,
                               const float* WGB_RESTRICT sj, const float* WGB_RESTRICT sl,
                               const float* WGB_RESTRICT vj, const float* WGB_RESTRICT vl,
                               const float* WGB_RESTRICT metric,
                               const float* WGB_RESTRICT inverse, const float* WGB_RESTRICT k,
                               float* WGB_RESTRICT gj, float* WGB_RESTRICT gl,
                               float* WGB_RESTRICT cj, float* WGB_RESTRICT cl) {
  for (size_t r = 0; r < kRows; ++r) {
    const float push = 2.0f * metric[r] * inverse[r] * (xj[r] - xl[r]) * k[r];
    gj[r] += sl[r] * k[r] + push;
    gl[r] += sj[r] * k[r] - push;
    if (Curved) {
      const float square = push * push, k2 = k[r] * k[r];
      cj[r] += vl[r] * k2 + square;
      cl[r] += vj[r] * k2 + square;
    }
  }
}

template <bool Curved>
WGB_INLINE void add_pairs(Scratch& s, int m, int d, const float* bandwidth) {
  const size_t stride = static_cast<size_t>(d) * kRows;
  float inverse[kRows], k[kRows];
  for (size_t r = 0; r < kRows; ++r) inverse[r] = 1.0f / bandwidth[r];
  const float *x = s.x.data(), *score = s.score.data(), *curvature = s.curvature.data();
  const float* metric = s.metric.data();
  float *gradient = s.gradient.data(), *smoothed = s.smoothed.data();
  for (size_t j = 0; j < static_cast<size_t>(m) * stride; j += stride)
    for (size_t l = j + stride; l < static_cast<size_t>(m) * stride; l += stride) {
      pair_kernel(x + j, x + l, metric, inverse, d, k);
      for (size_t p = 0; p < stride; p += kRows)
        pair_parameter<Curved>(x + j + p, x + l + p, score + j + p, score + l + p,
                               curvature + j + p, curvature + l + p, metric + p, inverse, k,
                               gradient + j + p, gradient + l + p, smoothed + j + p,
                               smoothed + l + p);
    }
}

WGB_CLONES void pairs_plain(Scratch& s, int m, int d, const float* bandwidth) {
  add_pairs<false>(s, m, d, bandwidth);
}
WGB_CLONES void pairs_curved(Scratch& s, int m, int d, const float* bandwidth) {
  add_pairs<true>(s, m, d, bandwidth);
}

// Means over particles, and curvatures kept positive.
WGB_CLONES void finish(Scratch& s, int m, int d, bool curved) {
  const size_t width = static_cast<size_t>(d) * kRows, size = static_cast<size_t>(m) * width;
  const float scale = 1.0f / static_cast<float>(m);
  float* WGB_RESTRICT gradient = s.gradient.data();
  for (size_t i = 0; i < size; ++i) gradient[i] *= scale;
  if (!curved) return;
  const float* WGB_RESTRICT curvature = s.curvature.data();
  float* WGB_RESTRICT smoothed = s.smoothed.data();
  for (size_t p = 0; p < width; p += kRows) {
    float floor[kRows] = {};
    for (size_t j = p; j < size; j += width)
      for (size_t r = 0; r < kRows; ++r) {
        const float absolute = std::fabs(curvature[j + r]) * kFloor;
        floor[r] = absolute > floor[r] ? absolute : floor[r];
      }
    for (size_t j = p; j < size; j += width)
      for (size_t r = 0; r < kRows; ++r) {
        const float c = smoothed[j + r] * scale, absolute = std::fabs(c);
        const float least = absolute > floor[r] ? absolute : floor[r];
        const float kept = c > floor[r] ? c : least;
        smoothed[j + r] = kept > 0 ? kept : 1.0f;
      }
  }
}

void do_block(const DirectionTask& t, size_t begin, size_t rows, Scratch& s) {
  const size_t d = static_cast<size_t>(t.d), size = static_cast<size_t>(t.m) * d;
  transpose_in(t.particles + begin * size, rows, size, s.x.data());
  transpose_in(t.score + begin * size, rows, size, s.score.data());
  if (t.curvature) transpose_in(t.curvature + begin * size, rows, size, s.curvature.data());
  if (t.metric)
    transpose_in(t.metric + begin * d, rows, d, s.metric.data());
  else
    std::fill(s.metric.begin(), s.metric.end(), 1.0f);
  float bandwidth[kRows];
  for (size_t r = 0; r < kRows; ++r)
    bandwidth[r] = t.bandwidth[t.one_bandwidth ? 0 : begin + std::min(r, rows - 1)];
  // Each particle's own share: k = 1 and no repulsion.
  s.gradient = s.score;
  s.smoothed = s.curvature;
  if (t.curvature)
    pairs_curved(s, t.m, t.d, bandwidth);
  else
    pairs_plain(s, t.m, t.d, bandwidth);
  finish(s, t.m, t.d, t.curvature != nullptr);
  transpose_out(s.gradient.data(), rows, size, t.gradient + begin * size);
  if (t.curvature) transpose_out(s.smoothed.data(), rows, size, t.smoothed + begin * size);
}

}  // namespace

void kernel_direction(const DirectionTask& task, Team& team) {
  const size_t d = static_cast<size_t>(task.d), size = static_cast<size_t>(task.m) * d * kRows;
  team.run_ranges(task.n, kRowsPerTask, [&](size_t begin, size_t end) {
    Scratch scratch(size, d);
    for (size_t from = begin; from < end; from += kRows)
      do_block(task, from, std::min(end - from, kRows), scratch);
  });
}

void newton_step(const double* particles, const double* score, const double* curvature,
                 const double* metric, double bandwidth, int m, int d, double* step) {
  const auto at = [d](int j, int p) { return static_cast<size_t>(j * d + p); };
  const size_t size = static_cast<size_t>(m) * static_cast<size_t>(d);
  std::vector<double> gradient(score, score + size), smoothed(curvature, curvature + size);
  for (int j = 0; j < m; ++j)
    for (int l = j + 1; l < m; ++l) {
      double square = 0;
      for (int p = 0; p < d; ++p) {
        const double apart = particles[at(j, p)] - particles[at(l, p)];
        square += metric[p] * apart * apart;
      }
      const double k = std::exp(-square / bandwidth);
      for (int p = 0; p < d; ++p) {
        const size_t a = at(j, p), b = at(l, p);
        const double push = 2 * metric[p] / bandwidth * (particles[a] - particles[b]) * k;
        gradient[a] += score[b] * k + push;
        gradient[b] += score[a] * k - push;
        smoothed[a] += curvature[b] * k * k + push * push;
        smoothed[b] += curvature[a] * k * k + push * push;
      }
    }
  for (int p = 0; p < d; ++p) {
    double largest = 0;
    for (int j = 0; j < m; ++j) largest = std::max(largest, std::fabs(curvature[at(j, p)]));
    const double floor = static_cast<double>(kFloor) * largest;
    for (int j = 0; j < m; ++j) {
      const double c = smoothed[at(j, p)] / m;
      const double kept = c > floor ? c : std::max(std::fabs(c), floor);
      step[at(j, p)] = gradient[at(j, p)] / m / (kept > 0 ? kept : 1.0);
    }
  }
}

}  // namespace wgb
