#include "forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "answers.hpp"
#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 1024;
constexpr double kStepsPerThread = 1e6;  // rows x trees worth a thread

// Beyond this many nodes a walk down is cheaper than asking them all.
constexpr int32_t kSmallTree = 511;
constexpr size_t kManyRows = 12;  // and with fewer rows

// O > 0: that many outputs.
template <size_t O>
WGB_INLINE void add_leaves(const int32_t* leaf, size_t n, const float* values, size_t outputs,
                           float* out, size_t stride) {
  if (O > 0) outputs = O;
  for (size_t i = 0; i < n; ++i) {
    const float* WGB_RESTRICT from = values + static_cast<size_t>(leaf[i]) * outputs;
    float* WGB_RESTRICT to = out + i * stride;
    for (size_t j = 0; j < outputs; ++j) to[j] += from[j];
  }
}

WGB_CLONES void add_values(const int32_t* leaf, size_t n, const float* values, size_t outputs,
                           float* out, size_t stride) {
  switch (outputs) {  // known numbers are added without a loop
    case 1: return add_leaves<1>(leaf, n, values, outputs, out, stride);
    case 2: return add_leaves<2>(leaf, n, values, outputs, out, stride);
    case 10: return add_leaves<10>(leaf, n, values, outputs, out, stride);
    case 20: return add_leaves<20>(leaf, n, values, outputs, out, stride);
    default: return add_leaves<0>(leaf, n, values, outputs, out, stride);
  }
}

}  // namespace

template <class T>
void Forest::rank_rows(const Matrix<T>& x, size_t begin, size_t end, uint16_t* ranks,
                       size_t stride) const {
  for (size_t f = 0; f < used_.size(); ++f) {
    const double* sorted = thresholds_[f].data();
    const size_t n = thresholds_[f].size();
    for (size_t row = begin; row < end; ++row) {
      const double value = x.at(row, static_cast<size_t>(used_[f]));
      // Halving without branches: which side a value is on cannot be foreseen.
      const double* base = sorted;
      for (size_t left = n; left > 1;) {
        const size_t half = left / 2;
        base += base[half - 1] < value ? half : 0;
        left -= half;
      }
      const auto rank = static_cast<uint16_t>((base - sorted) + (*base < value));
      ranks[f * stride + (row - begin)] = value != value ? kMissingRank : rank;
    }
  }
}

template <class Read>
void Forest::run(size_t n, const Read& read, bool by_bin, size_t first, size_t last, float* out,
                 int32_t* leaf, const SupportPass* support, int n_threads) const {
  const double steps = static_cast<double>(n) * static_cast<double>(last - first);
  Team team(useful_threads(n_threads, steps, kStepsPerThread));
  const size_t stride = static_cast<size_t>(n_outputs_), trees = last - first;
  int32_t largest = 1;
  for (size_t tree = first; tree < last; ++tree)
    if (trees_[tree].last - trees_[tree].first <= kSmallTree)
      largest = std::max(largest, trees_[tree].last - trees_[tree].first);
  team.run_ranges(n, kRowsPerTask, [&](size_t from, size_t to) {
    const size_t size = used_.size() * kRowsPerBlock;
    std::vector<uint16_t> high(size, 0), low(size),
        answers(static_cast<size_t>(largest) * kRowsPerBlock);
    int32_t at[kRowsPerBlock];
    uint8_t lost[kRowsPerBlock];
    for (size_t begin = from; begin < to; begin += kRowsPerBlock) {
      const size_t rows = std::min(to - begin, kRowsPerBlock);
      read(begin, begin + rows, high.data());
      for (size_t i = 0; i < size; ++i) low[i] = high[i] == kMissingRank ? uint16_t(0) : high[i];
      const Asking asking{nodes_.data(), {sets_.data(), set_of_.data()},
                          {high.data(), low.data(), rows}, by_bin,
                          support && !support->looks_at_all() ? &boundaries_ : nullptr};
      SupportPass::Common common;
      if (support) support->find_common(begin, rows, common);
      for (size_t i = first; i < last; ++i) {
        const ForestTree& tree = trees_[i];
        const bool small = rows >= kManyRows && tree.last - tree.first <= kSmallTree;
        size_t n_lost = 0;
        if (small) {
          n_lost = ask_all(asking, tree, answers.data(), at, lost);
        } else if (asking.boundaries) {  // all rows are followed from the root
          n_lost = rows;
          for (size_t r = 0; r < rows; ++r) at[r] = ~tree.first;
          std::iota(lost, lost + rows, uint8_t(0));
        } else {
          for (size_t r = 0; r < rows; ++r) at[r] = descend(asking, tree.first, r);
        }
        if (support) support->add(asking, {i, begin, rows}, common, lost, n_lost, at);
        if (out)
          add_values(at, rows, values_.data(), leaf_outputs_,
                     out + begin * stride + tree.output, stride);
        for (size_t r = 0; leaf && r < rows; ++r)
          leaf[(begin + r) * trees + (i - first)] = at[r] - tree.first_leaf;
      }
    }
  });
}

template <class T>
void Forest::run_raw(const Matrix<T>& x, size_t first, size_t last, float* out, int32_t* leaf,
                     int n_threads) const {
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    rank_rows(x, begin, end, high, kRowsPerBlock);
  };
  run(x.n, read, false, first, last, out, leaf, nullptr, n_threads);
}

template <class T>
void Forest::predict(const Matrix<T>& x, size_t first, size_t last, float* out,
                     int n_threads) const {
  run_raw(x, first, last, out, nullptr, n_threads);
}

template <class T>
void Forest::predict_supported(const Matrix<T>& x, const uint16_t* ranks, size_t first,
                               size_t last, float* out, const SupportTask& task,
                               int n_threads) const {
  const RawRows raw(x);
  const SupportPass pass(task, raw, boundaries_, nodes_, trees_, used_, n_features_,
                         static_cast<size_t>(n_outputs_), leaf_outputs_);
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    if (!ranks) return rank_rows(x, begin, end, high, kRowsPerBlock);
    for (size_t f = 0; f < used_.size(); ++f)
      std::copy(ranks + f * x.n + begin, ranks + f * x.n + end, high + f * kRowsPerBlock);
  };
  run(x.n, read, false, first, last, out, nullptr, &pass, n_threads);
}

void Forest::add_asked(const int64_t* cover, size_t first, size_t last, double* share) const {
  std::vector<std::vector<int32_t>> above;  // features asked for on the path to each node
  for (size_t i = first; i < last; ++i) {
    const ForestTree& tree = trees_[i];
    const double all = static_cast<double>(std::max<int64_t>(1, cover[tree.first]));
    above.assign(static_cast<size_t>(tree.last - tree.first), {});
    for (int32_t at = tree.first; at < tree.last; ++at) {
      const ForestNode& node = nodes_[at];
      if (node.leaf >= 0) continue;
      std::vector<int32_t> path = std::move(above[static_cast<size_t>(at - tree.first)]);
      const int32_t f = used_[node.feature];
      if (std::find(path.begin(), path.end(), f) == path.end()) {
        share[f] += static_cast<double>(cover[at]) / all;
        path.push_back(f);
      }
      above[static_cast<size_t>(node.next - tree.first)] = path;
      above[static_cast<size_t>(node.next + 1 - tree.first)] = std::move(path);
    }
  }
}

template <class T>
void Forest::apply(const Matrix<T>& x, size_t first, size_t last, int32_t* leaf,
                   int n_threads) const {
  run_raw(x, first, last, nullptr, leaf, n_threads);
}

template <class T>
void Forest::rank(const Matrix<T>& x, uint16_t* ranks, int n_threads) const {
  const double work = static_cast<double>(x.n) * static_cast<double>(used_.size());
  Team team(useful_threads(n_threads, work, kStepsPerThread));
  team.run_ranges(x.n, kRowsPerTask, [&](size_t begin, size_t end) {
    rank_rows(x, begin, end, ranks + begin, x.n);
  });
}

void Forest::predict_ranks(const uint16_t* ranks, size_t n, size_t first, size_t last, float* out,
                           int n_threads) const {
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    for (size_t f = 0; f < used_.size(); ++f)
      std::copy(ranks + f * n + begin, ranks + f * n + end, high + f * kRowsPerBlock);
  };
  run(n, read, false, first, last, out, nullptr, nullptr, n_threads);
}

void Forest::predict_codes(const Matrix<uint8_t>& codes, const int32_t* n_bins, size_t first,
                           size_t last, float* out, int n_threads) const {
  const auto read = [&](size_t begin, size_t end, uint16_t* high) {
    for (size_t f = 0; f < used_.size(); ++f)
      for (size_t row = begin; row < end; ++row) {
        const int code = codes.data[static_cast<int64_t>(row) * codes.row_stride +
                                    used_[f] * codes.column_stride];
        high[f * kRowsPerBlock + (row - begin)] =
            code == n_bins[used_[f]] ? kMissingRank : static_cast<uint16_t>(code);
      }
  };
  run(codes.n, read, true, first, last, out, nullptr, nullptr, n_threads);
}

template void Forest::predict(const Matrix<float>&, size_t, size_t, float*, int) const;
template void Forest::predict(const Matrix<double>&, size_t, size_t, float*, int) const;
template void Forest::rank(const Matrix<float>&, uint16_t*, int) const;
template void Forest::rank(const Matrix<double>&, uint16_t*, int) const;
template void Forest::predict_supported(const Matrix<float>&, const uint16_t*, size_t, size_t,
                                        float*, const SupportTask&, int) const;
template void Forest::predict_supported(const Matrix<double>&, const uint16_t*, size_t, size_t,
                                        float*, const SupportTask&, int) const;
template void Forest::apply(const Matrix<float>&, size_t, size_t, int32_t*, int) const;
template void Forest::apply(const Matrix<double>&, size_t, size_t, int32_t*, int) const;

}  // namespace wgb
