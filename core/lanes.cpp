#include "lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "simd.hpp"

namespace wgb {
namespace {

constexpr size_t kCentreSample = 64;
constexpr size_t kRowsPerTask = 4096;
constexpr size_t kRowsPerStep = 256;

int padded(int lanes) {
  if (lanes <= 2) return 2;
  if (lanes <= 4) return 4;
  return (lanes + 7) / 8 * 8;
}

// Means over particles. D > 0: that many parameters.
template <int D>
WGB_INLINE void particle_mean(const float* WGB_RESTRICT in, int m, int params,
                              float* WGB_RESTRICT out) {
  const int d = D > 0 ? D : params;
  const float scale = 1.0f / static_cast<float>(m);
  for (int j = 0; j < d; ++j) out[j] = in[j];
  for (int l = 1; l < m; ++l)
    for (int j = 0; j < d; ++j) out[j] += in[l * d + j];
  for (int j = 0; j < d; ++j) out[j] *= scale;
}

// The projection of one row's values (directions or curvatures) to k numbers.
WGB_INLINE void project(const float* WGB_RESTRICT in, const Block& block, Projection projection,
                        const float* WGB_RESTRICT matrix, int k, float* WGB_RESTRICT out) {
  const int m = block.particles, d = block.params, outputs = m * d;
  switch (projection) {
    case Projection::kAll:
      for (int i = 0; i < k; ++i) out[i] = in[i];
      break;
    case Projection::kSum: {
      float sum = 0;
      for (int i = 0; i < outputs; ++i) sum += in[i];
      out[0] = sum;
      break;
    }
    case Projection::kParticleMean:
      if (d == 1) particle_mean<1>(in, m, d, out);
      else if (d == 2) particle_mean<2>(in, m, d, out);
      else particle_mean<0>(in, m, d, out);
      break;
    case Projection::kRandom: {
      // Eight columns at a time in a register; the matrix is padded to whole vectors.
      const int vecs = (k + 7) / 8;
      const Vec8* rows = reinterpret_cast<const Vec8*>(matrix);
      for (int v = 0; v < vecs; ++v) {
        Vec8 sum = rows[v] * in[0];
        for (int i = 1; i < outputs; ++i) sum += rows[i * vecs + v] * in[i];
        std::memcpy(out + 8 * v, &sum, sizeof(float) * static_cast<size_t>(std::min(8, k - 8 * v)));
      }
      break;
    }
  }
}

// Projected curvature: like the directions, but averaged to one number for a random projection.
WGB_INLINE void project_curvature(const float* WGB_RESTRICT in, const Block& block,
                                  Projection projection, int k, float* WGB_RESTRICT out) {
  if (projection != Projection::kRandom) {
    project(in, block, projection, nullptr, k, out);
    return;
  }
  float sum = 0;
  for (int i = 0; i < block.outputs(); ++i) sum += in[i];
  out[0] = sum / static_cast<float>(block.outputs());
}

struct Filler {
  const Targets& targets;
  const Block& block;
  const Layout& layout;
  Projection projection;
  const float* matrix;
  const float* shift;  // (k) or null
  const uint32_t* rows;
  float* lanes;
};

// K > 0: that many projected outputs, and W lanes; else any.
template <int K, int W>
WGB_INLINE void fill(const Filler& f, size_t begin, size_t end) {
  const Targets& t = f.targets;
  const Layout& layout = f.layout;
  const size_t width = W > 0 ? W : static_cast<size_t>(layout.width);
  const int k = K > 0 ? K : layout.k, shared = layout.shared, block = layout.block;
  for (size_t i = begin; i < end; ++i) {
    const size_t row = f.rows ? f.rows[i] : i;
    const size_t at = row * static_cast<size_t>(t.outputs) + static_cast<size_t>(f.block.first);
    float* out = f.lanes + row * width;
    for (size_t l = static_cast<size_t>(k); l < width; ++l) out[l] = 0;
    const float weight = t.weight ? t.weight[row] : 1.0f;
    project(t.direction + at, f.block, f.projection, f.matrix, k, out);
    if (t.curvature) {
      float* curvature = shared >= 0 ? out + shared : out + block;
      project_curvature(t.curvature + at, f.block, f.projection, k, curvature);
      const int step = shared >= 0 ? 0 : 1, n_curvature = shared >= 0 ? 1 : k;
      if (f.shift)
        for (int j = 0; j < k; ++j) out[j] -= curvature[j * step] * f.shift[j];
      if (t.weight)
        for (int j = 0; j < n_curvature; ++j) curvature[j] *= weight;
    } else {
      if (f.shift)
        for (int j = 0; j < k; ++j) out[j] -= f.shift[j];
      out[shared] = weight;
    }
    if (t.weight)
      for (int j = 0; j < k; ++j) out[j] *= weight;
    out[layout.count] = 1.0f;
  }
}

// The same for K outputs as they are, without weights and curvatures.
template <int K, int W>
WGB_INLINE void fill_plain(const Filler& f, size_t begin, size_t end) {
  float shift[K] = {};
  if (f.shift) std::memcpy(shift, f.shift, sizeof shift);
  for (size_t i = begin; i < end; ++i) {
    const size_t row = f.rows ? f.rows[i] : i;
    const float* WGB_RESTRICT in = f.targets.direction +
                                   row * static_cast<size_t>(f.targets.outputs) +
                                   static_cast<size_t>(f.block.first);
    float* WGB_RESTRICT out = f.lanes + row * W;
    for (int j = 0; j < K; ++j) out[j] = in[j] - shift[j];
    for (int j = K; j < W - 1; ++j) out[j] = 0.0f;
    out[W - 1] = 1.0f;
  }
}

WGB_CLONES void fill_range(const Filler& f, size_t begin, size_t end) {
  const int k = f.layout.k, width = f.layout.width;
  const bool plain = !f.targets.weight && !f.targets.curvature &&
                     (f.projection == Projection::kAll ||
                      (f.projection == Projection::kParticleMean && f.block.particles == 1));
  if (plain && k == 2) fill_plain<2, 4>(f, begin, end);
  else if (k == 2 && width == 4) fill<2, 4>(f, begin, end);
  else if (k == 2 && width == 8) fill<2, 8>(f, begin, end);
  else fill<0, 0>(f, begin, end);
}

// The median movement of a strided sample of rows: a cheap stand-in for the offset of all of them
// that no single row can spoil.
std::vector<float> sample_offset(const Targets& t, const Block& block, const Layout& layout,
                                 Projection projection, const float* matrix, const uint32_t* rows,
                                 size_t n_rows) {
  const size_t k = static_cast<size_t>(layout.k);
  std::vector<std::vector<std::pair<float, float>>> movement(k);  // and the row's weight
  std::vector<float> direction(k), curvature(k, 1.0f), offset(k);
  const size_t stride = std::max<size_t>(1, n_rows / kCentreSample);
  const bool one_each = t.curvature && layout.shared < 0;
  for (size_t i = stride / 2; i < n_rows; i += stride) {
    const size_t row = rows ? rows[i] : i;
    const size_t at = row * static_cast<size_t>(t.outputs) + static_cast<size_t>(block.first);
    project(t.direction + at, block, projection, matrix, layout.k, direction.data());
    if (t.curvature)
      project_curvature(t.curvature + at, block, projection, layout.k, curvature.data());
    for (size_t j = 0; j < k; ++j)
      movement[j].emplace_back(direction[j] / curvature[one_each ? j : 0],
                               t.weight ? t.weight[row] : 1.0f);
  }
  for (size_t j = 0; j < k; ++j) {
    std::sort(movement[j].begin(), movement[j].end());
    double half = 0, below = 0;
    for (const auto& one : movement[j]) half += one.second / 2.0;
    for (const auto& one : movement[j]) {
      offset[j] = one.first;
      if ((below += one.second) >= half) break;
    }
    if (!std::isfinite(offset[j])) offset[j] = 0.0f;
  }
  return offset;
}

WGB_CLONES bool all_positive(const float* values, size_t n) {
  int lacking = 0;
  for (size_t i = 0; i < n; ++i) lacking |= !(values[i] > 0);
  return lacking == 0;
}

}  // namespace

Layout Layout::make(int outputs, int params, Projection projection, int random_k,
                    bool has_curvature, bool has_weight) {
  Layout layout{};
  switch (projection) {
    case Projection::kAll: layout.k = outputs; break;
    case Projection::kSum: layout.k = 1; break;
    case Projection::kParticleMean: layout.k = params; break;
    case Projection::kRandom: layout.k = random_k; break;
  }
  layout.averages = !has_curvature;
  const bool one_each = has_curvature && projection != Projection::kRandom;
  if (one_each) {
    layout.block = padded(layout.k + 1);
    layout.width = 2 * layout.block;
    layout.shared = -1;
    layout.count = layout.block - 1;
  } else {
    // Without weights and curvatures the number of rows is the denominator.
    const bool count_is_denominator = !has_curvature && !has_weight;
    layout.block = layout.width = padded(layout.k + (count_is_denominator ? 1 : 2));
    layout.count = layout.width - 1;
    layout.shared = count_is_denominator ? layout.count : layout.width - 2;
  }
  return layout;
}

bool has_mass_everywhere(const Targets& t, const uint32_t* rows, size_t n_rows, Team& team) {
  if (!t.curvature) return true;
  std::atomic<bool> everywhere{true};
  const size_t outputs = static_cast<size_t>(t.outputs);
  team.run_ranges(n_rows, kRowsPerTask, [&](size_t begin, size_t end) {
    bool here = true;
    if (!rows) here = all_positive(t.curvature + begin * outputs, (end - begin) * outputs);
    for (size_t i = begin; rows && here && i < end; ++i)
      here = all_positive(t.curvature + rows[i] * outputs, outputs);
    if (!here) everywhere = false;
  });
  return everywhere;
}

void fill_lanes(const Targets& targets, const std::vector<Block>& blocks, const Layout& layout,
                Projection projection, const float* matrix, bool centre, const uint32_t* rows,
                size_t n_rows, const std::vector<float*>& lanes, Team& team) {
  std::vector<std::vector<float>> offset(blocks.size());
  if (centre)
    for (size_t tree = 0; tree < blocks.size(); ++tree)
      offset[tree] =
          sample_offset(targets, blocks[tree], layout, projection, matrix, rows, n_rows);
  // All trees of a few rows at a time: the rows' outputs are read from memory once.
  team.run_ranges(n_rows, kRowsPerTask, [&](size_t begin, size_t end) {
    for (size_t from = begin; from < end; from += kRowsPerStep)
      for (size_t tree = 0; tree < blocks.size(); ++tree)
        fill_range({targets, blocks[tree], layout, projection, matrix,
                    centre ? offset[tree].data() : nullptr, rows, lanes[tree]},
                   from, std::min(end, from + kRowsPerStep));
  });
}

}  // namespace wgb
