#include "nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kRows = 64;  // of a task
constexpr size_t kLanes = 16;

// The distances of one row to all training rows; `sum` has a multiple of kLanes elements.
WGB_CLONES void add_distances(const NearestRows& known, const float* row, float* WGB_RESTRICT sum) {
  const size_t n = known.n_points;
  for (size_t i = 0; i < n; ++i) sum[i] = 0;
  for (size_t f = 0; f < known.n_features; ++f) {
    const float value = row[f], shrink = known.shrink[f];
    const float* WGB_RESTRICT point = known.points + f * n;
    if (known.categorical[f])
      for (size_t i = 0; i < n; ++i) sum[i] += point[i] == value ? 0.0f : known.mismatch;
    else
      for (size_t i = 0; i < n; ++i) {
        const float gap = std::fabs(point[i] - value) - shrink;
        sum[i] += gap > 0 ? gap : 0.0f;
      }
  }
}

// The two smallest of `padded` numbers.
WGB_CLONES void find_smallest(const float* WGB_RESTRICT sum, size_t padded, float* out) {
  float first[kLanes], second[kLanes];
  std::copy_n(sum, kLanes, first);
  std::fill_n(second, kLanes, std::numeric_limits<float>::infinity());
  for (size_t i = kLanes; i < padded; i += kLanes)
    for (size_t j = 0; j < kLanes; ++j) {
      const float larger = sum[i + j] < first[j] ? first[j] : sum[i + j];
      first[j] = sum[i + j] < first[j] ? sum[i + j] : first[j];
      second[j] = larger < second[j] ? larger : second[j];
    }
  const size_t best = static_cast<size_t>(std::min_element(first, first + kLanes) - first);
  out[0] = first[best];
  first[best] = second[best];
  out[1] = *std::min_element(first, first + kLanes);
}

}  // namespace

void nearest_distances(const NearestRows& known, const float* rows, size_t n, float* out,
                       Team& team) {
  const size_t padded = std::max(kLanes, (known.n_points + kLanes - 1) / kLanes * kLanes);
  team.run_ranges(n, kRows, [&](size_t begin, size_t end) {
    std::vector<float> sum(padded, std::numeric_limits<float>::infinity());
    for (size_t r = begin; r < end; ++r) {
      add_distances(known, rows + r * known.n_features, sum.data());
      find_smallest(sum.data(), padded, out + 2 * r);
    }
  });
}

}  // namespace wgb
