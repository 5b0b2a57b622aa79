#include "directions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 1024;
// A smoothed curvature below this has vanished; the floor is of the row's largest curvature.
constexpr float kVanished = 1e-12f, kFloor = 1e-6f;
constexpr float kHalfLog2 = -0.721347520f;  // exp(-q / 2) = 2^(kHalfLog2 q)

// Arrays (m, d, kLanes) of one block of rows; `scale` (d, kLanes) is 2 A / h.
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

template <class Vec>
WGB_INLINE void add(float* to, const Vec& v) {
  store(to, load<Vec>(to) + v);
}

// Adds to each particle of every pair what the other one gives it: k is symmetric, the push
// changes its sign. D parameters are known to the compiler, and one particle stays in registers.
template <int D, bool Curved>
struct Pairs {
  template <class Vec>
  WGB_INLINE static void run(size_t lane, const Scratch* s, int m, int) {
    constexpr size_t width = D * kLanes;
    const size_t end = static_cast<size_t>(m) * width + lane;
    const float *x = s->x, *score = s->score, *curvature = s->curvature;
    float *gradient = s->gradient, *smoothed = s->smoothed;
    Vec scale[D];
    for (size_t p = 0; p < D; ++p) scale[p] = load<Vec>(s->scale + p * kLanes + lane);
    for (size_t j = lane; j < end; j += width) {
      Vec xj[D], sj[D], vj[D], gj[D], cj[D];
      for (size_t p = 0; p < D; ++p) {
        const size_t at = j + p * kLanes;
        xj[p] = load<Vec>(x + at);
        sj[p] = load<Vec>(score + at);
        gj[p] = load<Vec>(gradient + at);
        if (Curved) {
          vj[p] = load<Vec>(curvature + at);
          cj[p] = load<Vec>(smoothed + at);
        }
      }
      for (size_t l = j + width; l < end; l += width) {
        Vec pull[D], square = all_of<Vec>(0.0f);
        for (size_t p = 0; p < D; ++p) {
          const Vec apart = xj[p] - load<Vec>(x + l + p * kLanes);
          pull[p] = scale[p] * apart;
          square = square + pull[p] * apart;
        }
        const Vec k = exp2_of(square * kHalfLog2), k2 = k * k;
        for (size_t p = 0; p < D; ++p) {
          const size_t at = l + p * kLanes;
          const Vec push = pull[p] * k;
          gj[p] = gj[p] + (load<Vec>(score + at) * k + push);
          add(gradient + at, sj[p] * k - push);
          if (Curved) {
            const Vec push2 = push * push;
            cj[p] = cj[p] + (load<Vec>(curvature + at) * k2 + push2);
            add(smoothed + at, vj[p] * k2 + push2);
          }
        }
      }
      for (size_t p = 0; p < D; ++p) {
        const size_t at = j + p * kLanes;
        store(gradient + at, gj[p]);
        if (Curved) store(smoothed + at, cj[p]);
      }
    }
  }
};

// The same for any number of parameters.
template <bool Curved>
struct Pairs<0, Curved> {
  template <class Vec>
  WGB_INLINE static void run(size_t lane, const Scratch* s, int m, int d) {
    const size_t width = static_cast<size_t>(d) * kLanes;
    const size_t end = static_cast<size_t>(m) * width + lane;
    const float *x = s->x, *score = s->score, *curvature = s->curvature, *scale = s->scale + lane;
    float *gradient = s->gradient, *smoothed = s->smoothed;
    for (size_t j = lane; j < end; j += width)
      for (size_t l = j + width; l < end; l += width) {
        Vec square = all_of<Vec>(0.0f);
        for (size_t p = 0; p < width; p += kLanes) {
          const Vec apart = load<Vec>(x + j + p) - load<Vec>(x + l + p);
          square = square + load<Vec>(scale + p) * apart * apart;
        }
        const Vec k = exp2_of(square * kHalfLog2), k2 = k * k;
        for (size_t p = 0; p < width; p += kLanes) {
          const Vec apart = load<Vec>(x + j + p) - load<Vec>(x + l + p);
          const Vec push = load<Vec>(scale + p) * apart * k;
          add(gradient + j + p, load<Vec>(score + l + p) * k + push);
          add(gradient + l + p, load<Vec>(score + j + p) * k - push);
          if (Curved) {
            const Vec push2 = push * push;
            add(smoothed + j + p, load<Vec>(curvature + l + p) * k2 + push2);
            add(smoothed + l + p, load<Vec>(curvature + j + p) * k2 + push2);
          }
        }
      }
  }
};

template <bool Curved>
void add_pairs(const Scratch& s, int m, int d) {
  if (d == 1)
    run_lanes<Pairs<1, Curved>>(&s, m, d);
  else if (d == 2)
    run_lanes<Pairs<2, Curved>>(&s, m, d);
  else
    run_lanes<Pairs<0, Curved>>(&s, m, d);
}

// Means over particles, and curvatures kept positive.
struct Finish {
  template <class Vec>
  WGB_INLINE static void run(size_t lane, const Scratch* s, int m, int d, bool curved,
                             bool divide) {
    const size_t width = static_cast<size_t>(d) * kLanes, size = static_cast<size_t>(m) * width;
    const Vec share = all_of<Vec>(1.0f / static_cast<float>(m)), one = all_of<Vec>(1.0f);
    const Vec vanished = all_of<Vec>(kVanished);
    for (size_t p = lane; p < width; p += kLanes) {
      Vec largest = all_of<Vec>(0.0f);
      if (curved)
        for (size_t j = p; j < size; j += width)
          largest = larger(largest, absolute(load<Vec>(s->curvature + j)));
      for (size_t j = p; j < size; j += width) {
        Vec g = load<Vec>(s->gradient + j) * share;
        if (curved) {
          const Vec c = load<Vec>(s->smoothed + j) * share;
          Vec kept = choose_positive(c - vanished, c, larger(absolute(c), largest * kFloor));
          kept = choose_positive(kept - vanished, kept, one);
          if (divide)
            g = g / kept;
          else
            store(s->smoothed + j, kept);
        }
        store(s->gradient + j, g);
      }
    }
  }
};

void do_block(const DirectionTask& t, const RowBlock& rows, Scratch& s) {
  const size_t d = static_cast<size_t>(t.d), size = static_cast<size_t>(t.m) * d;
  rows_to_lanes(t.particles, rows, size, s.x);
  t.density.at(rows, s.x, t.m, t.d, s.score,
               t.curved ? s.curvature : nullptr);
  if (t.metric)
    rows_to_lanes(t.metric, rows, d, s.scale);
  else
    std::fill(s.scale, s.scale + d * kLanes, 1.0f);
  float bandwidth[kLanes];
  t.bandwidth.at(rows, bandwidth);
  for (size_t p = 0; p < d * kLanes; ++p) s.scale[p] *= 2.0f / bandwidth[p % kLanes];
  // Each particle's own share: k = 1 and no repulsion.
  std::copy(s.score, s.score + size * kLanes, s.gradient);
  if (t.curved) {
    std::copy(s.curvature, s.curvature + size * kLanes, s.smoothed);
    add_pairs<true>(s, t.m, t.d);
  } else {
    add_pairs<false>(s, t.m, t.d);
  }
  run_lanes<Finish>(&s, t.m, t.d, t.curved, t.smoothed == nullptr);
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
    for (int j = 0; j < m; ++j) {
      const double c = smoothed[at(j, p)] / m;
      const double vanished = static_cast<double>(kVanished);
      const double kept =
          c > vanished ? c : std::max(std::fabs(c), static_cast<double>(kFloor) * largest);
      step[at(j, p)] = gradient[at(j, p)] / m / (kept > vanished ? kept : 1.0);
    }
  }
}

}  // namespace wgb
