#include "categories.hpp"

#include <algorithm>
#include <cmath>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kStride = 256;  // categories, padded
constexpr int kAxisSteps = 12;   // of the power iteration

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
    const size_t lane = shared ? static_cast<size_t>(layout.shared)
                               : static_cast<size_t>(layout.block) + j;
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

}  // namespace wgb
