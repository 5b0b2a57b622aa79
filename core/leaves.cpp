#include "leaves.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kPieces = 16;         // partial sums, whatever the number of threads
constexpr size_t kRowsPerPiece = 8192;  // at least
constexpr size_t kPartialDoubles = size_t(1) << 22;  // 32 MB of partial sums
constexpr size_t kRowsPerStep = 256;    // rows that all trees look at together

// Sums of one tree: per leaf the directions, then the curvatures or the weight.
struct Sums {
  const Targets& targets;
  const Block& block;
  const int32_t* leaf;  // (n)
  size_t width;
  double* total;        // (leaves, width)
};

// The bits of a float: a negative one has the highest set.
WGB_INLINE uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

// O > 0: that many outputs. Returns the united bits of the curvatures.
template <int O>
WGB_INLINE uint32_t add_leaf_rows(const Sums& s, const uint32_t* rows, size_t begin, size_t end) {
  const Targets& t = s.targets;
  const size_t outputs = O > 0 ? O : static_cast<size_t>(s.block.outputs());
  const size_t stride = static_cast<size_t>(t.outputs), first = static_cast<size_t>(s.block.first);
  uint32_t bits = 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t row = rows ? rows[i] : i;
    double* WGB_RESTRICT sum = s.total + static_cast<size_t>(s.leaf[row]) * s.width;
    const float* WGB_RESTRICT g = t.direction + row * stride + first;
    const double w = t.weight ? static_cast<double>(t.weight[row]) : 1.0;
    for (size_t j = 0; j < outputs; ++j) sum[j] += w * static_cast<double>(g[j]);
    if (t.curvature) {
      const float* WGB_RESTRICT c = t.curvature + row * stride + first;
      for (size_t j = 0; j < outputs; ++j) sum[outputs + j] += w * static_cast<double>(c[j]);
      for (size_t j = 0; j < outputs; ++j) bits |= bits_of(c[j]);
    } else {
      sum[outputs] += w;
    }
  }
  return bits;
}

WGB_CLONES uint32_t add_rows(const Sums& s, const uint32_t* rows, size_t begin, size_t end) {
  return s.block.outputs() == 2 ? add_leaf_rows<2>(s, rows, begin, end)
                                : add_leaf_rows<0>(s, rows, begin, end);
}

}  // namespace

bool leaf_values(const Targets& t, const std::vector<Block>& blocks, float l2,
                 const uint32_t* rows, size_t n_rows, const int32_t* leaf,
                 const std::vector<std::vector<float>*>& values, Team& team) {
  // The rows in their order, all trees at once: memory is read once and in sequence.
  const size_t outputs = static_cast<size_t>(blocks[0].outputs());
  const size_t width = t.curvature ? 2 * outputs : outputs + 1;
  std::vector<size_t> first(blocks.size() + 1, 0);
  for (size_t tree = 0; tree < blocks.size(); ++tree)
    first[tree + 1] = first[tree] + values[tree]->size() / outputs * width;
  // Fewer pieces when the sums themselves are large; their number depends on the data alone.
  const size_t wanted = std::min(kPieces, std::max<size_t>(1, kPartialDoubles / first.back()));
  const size_t step = std::max(kRowsPerPiece, (n_rows + wanted - 1) / wanted);
  const size_t pieces = (n_rows + step - 1) / step;
  std::vector<std::vector<double>> partial(pieces);
  std::vector<uint32_t> bits(pieces, 0);
  team.run_ranges(n_rows, step, [&](size_t begin, size_t end) {
    std::vector<double>& sums = partial[begin / step];
    sums.assign(first.back(), 0.0);
    for (size_t from = begin; from < end; from += kRowsPerStep)
      for (size_t tree = 0; tree < blocks.size(); ++tree)
        bits[begin / step] |=
            add_rows({t, blocks[tree], leaf + tree * t.n, width, sums.data() + first[tree]}, rows,
                     from, std::min(end, from + kRowsPerStep));
  });
  bool clean = true;
  for (size_t piece = 0; piece < pieces; ++piece) {
    clean = clean && (bits[piece] >> 31) == 0;
    for (size_t i = 0; piece > 0 && i < first.back(); ++i) partial[0][i] += partial[piece][i];
  }

  for (size_t tree = 0; tree < blocks.size(); ++tree) {
    std::vector<float>& out = *values[tree];
    for (size_t i = 0; i < out.size(); ++i) {
      const double* sum = partial[0].data() + first[tree] + i / outputs * width;
      const size_t j = i % outputs;
      const double mass = sum[outputs + (t.curvature ? j : 0)] + static_cast<double>(l2);
      out[i] = mass > 0 ? static_cast<float>(sum[j] / mass) : 0.0f;
      clean = clean && std::isfinite(sum[j]) && std::isfinite(mass) && std::isfinite(out[i]);
    }
  }
  return clean;
}

WGB_CLONES bool all_finite(const float* values, size_t n) {
  uint32_t wild = 0;  // an exponent of ones only
  for (size_t i = 0; i < n; ++i) wild |= (bits_of(values[i]) & 0x7f800000u) == 0x7f800000u;
  return wild == 0;
}

WGB_CLONES void add_leaf_values(const int32_t* leaf, const float* values, int outputs,
                                float* state, int state_outputs, int first, size_t begin,
                                size_t end) {
  for (size_t row = begin; row < end; ++row) {
    const float* WGB_RESTRICT from = values + static_cast<size_t>(leaf[row]) * outputs;
    float* WGB_RESTRICT to = state + row * state_outputs + first;
    for (int j = 0; j < outputs; ++j) to[j] += from[j];
  }
}

}  // namespace wgb
