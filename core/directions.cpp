#include "directions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 1024;
constexpr float kFloor = 1e-6f;

// Arrays (m, d, kLanes) of one block of rows; `scale` (d, kLanes) is A / h.
struct Scratch {
  LaneArrays arrays;
  float *x, *score, *curvature, *gradient, *smoothed, *scale;
  explicit Scratch(size_t size)
      : arrays(6, size),
        x(arrays[0]),
        score(arrays[1]),
        curvature(arrays[2]),
        gradient(arrays[3]),
        smoothed(arrays[4]),
        scale(arrays[5]) {}
};

WGB_INLINE void add16(float* to, const Vec16& v) { store16(to, load16(to) + v); }

// Adds to each particle of every pair what the other one gives it: k is symmetric, the push
// changes its sign. D parameters are known to the compiler, and one particle stays in registers.
template <int D, bool Curved>
WGB_INLINE void add_pairs(Scratch& s, int m) {
  constexpr size_t width = D * kLanes;
  const size_t size = static_cast<size_t>(m) * width;
  const float *x = s.x, *score = s.score, *curvature = s.curvature;
  float *gradient = s.gradient, *smoothed = s.smoothed;
  Vec16 scale[D];
  for (size_t p = 0; p < D; ++p) scale[p] = load16(s.scale + p * kLanes);
  for (size_t j = 0; j < size; j += width) {
    Vec16 xj[D], sj[D], vj[D], gj[D], cj[D];
    for (size_t p = 0; p < D; ++p) {
      const size_t at = j + p * kLanes;
      xj[p] = load16(x + at);
      sj[p] = load16(score + at);
      gj[p] = load16(gradient + at);
      if (Curved) {
        vj[p] = load16(curvature + at);
        cj[p] = load16(smoothed + at);
      }
    }
    for (size_t l = j + width; l < size; l += width) {
      Vec16 pull[D], square = all16(0.0f);
      for (size_t p = 0; p < D; ++p) {
        const Vec16 apart = xj[p] - load16(x + l + p * kLanes);
        pull[p] = scale[p] * apart;
        square = square + pull[p] * apart;
      }
      const Vec16 k = exp16(square * -1.0f), twice = k + k, k2 = k * k;
      for (size_t p = 0; p < D; ++p) {
        const size_t at = l + p * kLanes;
        const Vec16 push = pull[p] * twice;
        gj[p] = gj[p] + (load16(score + at) * k + push);
        add16(gradient + at, sj[p] * k - push);
        if (Curved) {
          const Vec16 push2 = push * push;
          cj[p] = cj[p] + (load16(curvature + at) * k2 + push2);
          add16(smoothed + at, vj[p] * k2 + push2);
        }
      }
    }
    for (size_t p = 0; p < D; ++p) {
      const size_t at = j + p * kLanes;
      store16(gradient + at, gj[p]);
      if (Curved) store16(smoothed + at, cj[p]);
    }
  }
}

// The same for any number of parameters.
template <bool Curved>
WGB_INLINE void add_pairs_of_many(Scratch& s, int m, int d) {
  const size_t width = static_cast<size_t>(d) * kLanes, size = static_cast<size_t>(m) * width;
  const float *x = s.x, *score = s.score, *curvature = s.curvature;
  const float* scale = s.scale;
  float *gradient = s.gradient, *smoothed = s.smoothed;
  for (size_t j = 0; j < size; j += width)
    for (size_t l = j + width; l < size; l += width) {
      Vec16 square = all16(0.0f);
      for (size_t p = 0; p < width; p += kLanes) {
        const Vec16 apart = load16(x + j + p) - load16(x + l + p);
        square = square + load16(scale + p) * apart * apart;
      }
      const Vec16 k = exp16(square * -1.0f), twice = k + k, k2 = k * k;
      for (size_t p = 0; p < width; p += kLanes) {
        const Vec16 push = load16(scale + p) * (load16(x + j + p) - load16(x + l + p)) * twice;
        add16(gradient + j + p, load16(score + l + p) * k + push);
        add16(gradient + l + p, load16(score + j + p) * k - push);
        if (Curved) {
          const Vec16 push2 = push * push;
          add16(smoothed + j + p, load16(curvature + l + p) * k2 + push2);
          add16(smoothed + l + p, load16(curvature + j + p) * k2 + push2);
        }
      }
    }
}

WGB_CLONES void curved_pairs(Scratch& s, int m, int d) {
  if (d == 1)
    add_pairs<1, true>(s, m);
  else if (d == 2)
    add_pairs<2, true>(s, m);
  else
    add_pairs_of_many<true>(s, m, d);
}

WGB_CLONES void plain_pairs(Scratch& s, int m, int d) {
  if (d == 1)
    add_pairs<1, false>(s, m);
  else if (d == 2)
    add_pairs<2, false>(s, m);
  else
    add_pairs_of_many<false>(s, m, d);
}

// Means over particles, and curvatures kept positive.
WGB_CLONES void finish(Scratch& s, int m, int d, bool curved, bool divide) {
  const size_t width = static_cast<size_t>(d) * kLanes, size = static_cast<size_t>(m) * width;
  const Vec16 share = all16(1.0f / static_cast<float>(m)), one = all16(1.0f);
  float *gradient = s.gradient, *smoothed = s.smoothed;
  const float* curvature = s.curvature;
  for (size_t p = 0; p < width; p += kLanes) {
    Vec16 floor = all16(0.0f);
    if (curved)
      for (size_t j = p; j < size; j += width)
        floor = larger(floor, absolute(load16(curvature + j)) * kFloor);
    for (size_t j = p; j < size; j += width) {
      Vec16 g = load16(gradient + j) * share;
      if (curved) {
        const Vec16 c = load16(smoothed + j) * share;
        Vec16 kept = choose_positive(c - floor, c, larger(absolute(c), floor));
        kept = choose_positive(kept, kept, one);
        if (divide)
          g = g / kept;
        else
          store16(smoothed + j, kept);
      }
      store16(gradient + j, g);
    }
  }
}

void do_block(const DirectionTask& t, const RowBlock& rows, Scratch& s) {
  const size_t d = static_cast<size_t>(t.d), size = static_cast<size_t>(t.m) * d;
  rows_to_lanes(t.particles, rows, size, s.x);
  t.density.at(rows, s.x, t.m, t.d, s.score,
               t.curved ? s.curvature : nullptr);
  if (t.metric)
    rows_to_lanes(t.metric, rows, d, s.scale);
  else
    std::fill(s.scale, s.scale + d * kLanes, 1.0f);
  const Vec16 inverse = all16(1.0f) / t.bandwidth.at(rows);
  for (size_t p = 0; p < d * kLanes; p += kLanes)
    store16(s.scale + p, load16(s.scale + p) * inverse);
  // Each particle's own share: k = 1 and no repulsion.
  std::copy(s.score, s.score + size * kLanes, s.gradient);
  if (t.curved) {
    std::copy(s.curvature, s.curvature + size * kLanes, s.smoothed);
    curved_pairs(s, t.m, t.d);
  } else {
    plain_pairs(s, t.m, t.d);
  }
  finish(s, t.m, t.d, t.curved, t.smoothed == nullptr);
  lanes_to_rows(s.gradient, rows, size, t.gradient);
  if (t.smoothed) lanes_to_rows(s.smoothed, rows, size, t.smoothed);
}

}  // namespace

void kernel_direction(const DirectionTask& task, Team& team) {
  const size_t size = static_cast<size_t>(task.m) * static_cast<size_t>(task.d);
  team.run_ranges(task.n, kRowsPerTask, [&](size_t begin, size_t end) {
    Scratch scratch(size);
    for (size_t from = begin; from < end; from += kLanes)
      do_block(task, {from, std::min(kLanes, end - from)}, scratch);
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
