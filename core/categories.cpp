#include "categories.hpp"

#include <algorithm>
#include <cmath>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kStride = 256;  // categories, padded
constexpr int kAxisSteps = 12;   // of the power iteration
constexpr size_t kRowsPerTask = 16384;
// The gain of the best edge of a numeric feature without information, in units of the variance of
// a row: the expected maximum of a chi-squared process over about 100 edges.
constexpr double kNumericChance = 8;
// How much of the signal of levels at the start counts in later nodes.
constexpr double kTrust = 0.3;

// The lane of the mass that output j is divided by.
size_t mass_lane(const Layout& layout, size_t j) {
  return layout.shared >= 0 ? static_cast<size_t>(layout.shared)
                            : static_cast<size_t>(layout.block) + j;
}

// Movements of the categories (k, kStride), and the weight of each; zero beyond the last one.
struct Movements {
  size_t k, n;
  double* of;
  double* weight;
  double* along;  // the axis
  double* axis;   // (k)
  size_t padded() const { return (n + 3) / 4 * 4; }
};

WGB_INLINE double weighted_sum(const double* WGB_RESTRICT a, const double* WGB_RESTRICT b,
                               const double* WGB_RESTRICT weight, size_t n) {
  double sum[4] = {};  // one order of summation for every width of vectors
  for (size_t i = 0; i < n; i += 4)
    for (size_t l = 0; l < 4; ++l) sum[l] += weight[i + l] * a[i + l] * b[i + l];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

WGB_INLINE void project(const Movements& m) {
  const size_t n = m.padded();
  double* WGB_RESTRICT along = m.along;
  std::fill_n(along, n, 0.0);
  for (size_t j = 0; j < m.k; ++j) {
    const double* WGB_RESTRICT movement = m.of + j * kStride;
    const double by = m.axis[j];
    for (size_t i = 0; i < n; ++i) along[i] += by * movement[i];
  }
}

// Scales the axis to a largest component of 1; false if it is zero.
WGB_INLINE bool normalise(const Movements& m) {
  size_t largest = 0;
  for (size_t j = 1; j < m.k; ++j)
    if (std::abs(m.axis[j]) > std::abs(m.axis[largest])) largest = j;
  const double by = m.axis[largest];
  if (by == 0) return false;
  for (size_t j = 0; j < m.k; ++j) m.axis[j] /= by;
  return true;
}

// The leading principal axis of the movements by power iteration, from the one that weighs most.
WGB_CLONES void project_on_leading_axis(const Movements& m) {
  size_t start = 0;
  double most = -1;
  for (size_t i = 0; i < m.n; ++i) {
    double square = 0;
    for (size_t j = 0; j < m.k; ++j) square += m.of[j * kStride + i] * m.of[j * kStride + i];
    if (m.weight[i] * square > most) {
      most = m.weight[i] * square;
      start = i;
    }
  }
  for (size_t j = 0; j < m.k; ++j) m.axis[j] = m.of[j * kStride + start];
  for (int step = 0; step < kAxisSteps && normalise(m); ++step) {
    project(m);
    for (size_t j = 0; j < m.k; ++j)
      m.axis[j] = weighted_sum(m.of + j * kStride, m.along, m.weight, m.padded());
  }
  normalise(m);
  project(m);
}

}  // namespace

size_t category_memory(const Layout& layout) {
  const size_t k = static_cast<size_t>(layout.k);
  return (k + 2) * kStride + k;
}

int order_categories(const float* histogram, int bins, const Layout& layout, const float* total,
                     const float* smooth, double* memory, uint8_t* order) {
  const size_t width = static_cast<size_t>(layout.width);
  uint8_t codes[256];
  size_t n = 0;
  for (int b = 0; b < bins; ++b)
    if (histogram[static_cast<size_t>(b) * width + static_cast<size_t>(layout.count)] > 0)
      codes[n++] = static_cast<uint8_t>(b);
  const size_t k = static_cast<size_t>(layout.k);
  double* weight = memory + k * kStride;
  const Movements m{k, n, memory, weight, weight + kStride, weight + 2 * kStride};
  std::fill_n(memory, (k + 2) * kStride, 0.0);
  for (size_t j = 0; j < k; ++j) {
    const bool shared = layout.shared >= 0;
    const size_t lane = mass_lane(layout, j);
    const double all = total[lane], mean = all > 0 ? total[j] / all : 0.0;
    // Outputs with a curvature of their own are compared in units of it, as their gains are.
    const double unit = shared ? 1.0 : std::sqrt(std::max(all, 0.0));
    for (size_t i = 0; i < n; ++i) {
      const float* row = histogram + codes[i] * width;
      const double mass = row[lane], smoothed = mass + smooth[lane];
      m.of[j * kStride + i] = smoothed > 0 ? unit * (row[j] - mass * mean) / smoothed : 0.0;
      m.weight[i] += all > 0 ? mass / all : 0.0;
    }
  }
  if (k == 1)
    std::copy_n(m.of, n, m.along);
  else
    project_on_leading_axis(m);
  uint8_t at[256];
  for (size_t i = 0; i < n; ++i) at[i] = static_cast<uint8_t>(i);
  std::sort(at, at + n, [&](uint8_t a, uint8_t b) {
    return m.along[a] != m.along[b] ? m.along[a] < m.along[b] : a < b;
  });
  for (size_t i = 0; i < n; ++i) order[i] = codes[at[i]];
  return static_cast<int>(n);
}

void Scatter::add(const Scatter& other, double sign) {
  weight += sign * other.weight;
  squares.resize(other.squares.size(), 0.0);
  for (size_t j = 0; j < squares.size(); ++j) squares[j] += sign * other.squares[j];
}

Scatter scatter_of(const float* lanes, const Layout& layout, const uint32_t* rows, size_t n,
                   const float* weights, const double* reference, Team& team) {
  const size_t k = static_cast<size_t>(layout.k), width = static_cast<size_t>(layout.width);
  // Pieces of a fixed size, added up in order: the same sums on any number of threads.
  std::vector<Scatter> pieces((n + kRowsPerTask - 1) / kRowsPerTask);
  team.run_ranges(n, kRowsPerTask, [&](size_t from, size_t to) {
    Scatter& piece = pieces[from / kRowsPerTask];
    piece.squares.assign(k, 0.0);
    for (size_t i = from; i < to; ++i) {
      const float* row = lanes + rows[i] * width;
      piece.weight += weights ? weights[rows[i]] : 1.0;
      for (size_t j = 0; j < k; ++j) {
        const double mass = row[mass_lane(layout, j)], apart = row[j] - reference[j] * mass;
        if (mass > 0) piece.squares[j] += apart * apart / mass;
      }
    }
  });
  Scatter sum;
  for (const Scatter& piece : pieces) sum.add(piece, 1.0);
  return sum;
}

bool shrink_categories(float* histogram, int bins, const Layout& layout, const float* total,
                       const Scatter& scatter, const double* reference, double penalty,
                       double signal) {
  const size_t width = static_cast<size_t>(layout.width), k = static_cast<size_t>(layout.k);
  const auto row = [&](int b) { return histogram + static_cast<size_t>(b) * width; };
  bool any = false;
  for (size_t j = 0; j < k; ++j) {
    const size_t lane = mass_lane(layout, j);
    double between = 0, sum = 0, mass = 0, levels = 0;
    for (int b = 0; b <= bins; ++b) {
      const double own = row(b)[lane], apart = row(b)[j] - reference[j] * own;
      if (!(row(b)[layout.count] > 0 && own > 0)) continue;
      between += apart * apart / own;
      sum += apart;
      mass += own;
      levels += 1;
    }
    const double common = mass > 0 ? sum * sum / mass : 0.0, n = scatter.weight;
    between -= common;
    const double spare = levels - 1, others = n - 1;
    double chance = 0;
    if (others > 0) {
      const double margin = std::sqrt(2 * spare * (1 + spare / others));
      const double variance = std::max(0.0, scatter.squares[j] - common) / others;
      const double doubt = 1 / (1 + kTrust * signal * n / levels);
      chance = penalty * doubt * variance * std::max(0.0, spare + margin - kNumericChance);
    }
    const double share = between > chance ? 1 - chance / between : 0.0;
    any = any || share > 0;
    if (!(share < 1)) continue;
    const double mean = total[lane] > 0 ? total[j] / static_cast<double>(total[lane]) : 0.0;
    const double root = std::sqrt(share);
    for (int b = 0; b <= bins; ++b) {
      const double middle = row(b)[lane] * mean;
      row(b)[j] = static_cast<float>(middle + root * (row(b)[j] - middle));
    }
  }
  return any;
}

}  // namespace wgb
