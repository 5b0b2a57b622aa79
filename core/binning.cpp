#include "binning.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "dispatch.hpp"

namespace wgb {
namespace {

constexpr size_t kRowsPerTask = 4096;
constexpr size_t kStripe = 64;

// Distinct values seen so far, given up when there are more than the limit.
class DistinctValues {
 public:
  explicit DistinctValues(size_t limit) : limit_(limit), slots_(kSlots), used_(kSlots, 0) {}

  // False when there are too many.
  bool add(double value) {
    value += 0.0;  // -0.0 and 0.0 are one value
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    size_t slot = static_cast<size_t>((bits * 0x9E3779B97F4A7C15ull) >> 54);
    while (used_[slot]) {
      if (slots_[slot] == value) return true;
      slot = (slot + 1) % kSlots;
    }
    if (values_.size() == limit_) return false;
    used_[slot] = 1;
    slots_[slot] = value;
    values_.push_back(value);
    return true;
  }

  std::vector<double> take() { return std::move(values_); }

 private:
  static constexpr size_t kSlots = 1024;  // 2^(64 - 54), four times kMaxBins
  size_t limit_;
  std::vector<double> slots_;
  std::vector<char> used_;
  std::vector<double> values_;
};

// A number in [0, 1) for each row: the splitmix64 mix of the row and the seed.
double uniform(uint64_t seed, uint64_t row) {
  uint64_t z = seed + (row + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// A number c with low <= c < high.
double between(double low, double high) {
  if (std::isinf(low) && std::isinf(high)) return 0.0;
  if (std::isinf(high)) return std::numeric_limits<double>::max();
  if (std::isinf(low)) return low;
  const double middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

// Bins of about equal weight over sorted distinct values. A value that weighs at least as much
// as a bin should closes the bin before it and its own.
std::vector<double> equal_weight_cuts(const std::vector<std::pair<double, double>>& values,
                                      int max_bins) {
  double rest = 0;
  for (const auto& value : values) rest += value.second;
  int bins_left = max_bins;
  double target = rest / bins_left, held = 0;
  std::vector<double> cuts;
  for (size_t i = 0; i + 1 < values.size() && bins_left > 1; ++i) {
    held += values[i].second;
    const double next = values[i + 1].second;
    // Close here when that is nearer to the target than taking the next value too.
    if (held >= target || next >= target || held + next - target > target - held) {
      cuts.push_back(between(values[i].first, values[i + 1].first));
      rest -= held;
      held = 0;
      --bins_left;
      target = rest / bins_left;
    }
  }
  return cuts;
}

// Branch-free search over edges padded with +inf to 255: the number of edges below x.
WGB_INLINE int code_of(const double* WGB_RESTRICT edges, double x) {
  int at = 0;
  for (int step = 128; step > 0; step /= 2) at += edges[at + step - 1] < x ? step : 0;
  return at;
}

template <class T>
WGB_INLINE void apply_stripe(const Matrix<T>& x, size_t column, const double* edges, int missing,
                             size_t begin, size_t end, uint8_t* codes) {
  double value[kStripe];
  const size_t n = end - begin;
  for (size_t i = 0; i < n; ++i) value[i] = x.at(begin + i, column);
  int code[kStripe];
  for (size_t i = 0; i < n; ++i) code[i] = code_of(edges, value[i]);
  for (size_t i = 0; i < n; ++i)
    codes[column * x.n + begin + i] =
        static_cast<uint8_t>(std::isnan(value[i]) ? missing : code[i]);
}

WGB_CLONES void apply_float(const Matrix<float>& x, size_t column, const double* edges, int missing,
                            size_t begin, size_t end, uint8_t* codes) {
  apply_stripe(x, column, edges, missing, begin, end, codes);
}

WGB_CLONES void apply_double(const Matrix<double>& x, size_t column, const double* edges,
                             int missing, size_t begin, size_t end, uint8_t* codes) {
  apply_stripe(x, column, edges, missing, begin, end, codes);
}

void apply_one(const Matrix<float>& x, size_t column, const double* edges, int missing,
               size_t begin, size_t end, uint8_t* codes) {
  apply_float(x, column, edges, missing, begin, end, codes);
}

void apply_one(const Matrix<double>& x, size_t column, const double* edges, int missing,
               size_t begin, size_t end, uint8_t* codes) {
  apply_double(x, column, edges, missing, begin, end, codes);
}

}  // namespace

template <class T>
std::vector<double> find_cuts(const Matrix<T>& x, size_t column, const float* weight, int max_bins,
                              size_t sample_size, uint64_t seed) {
  const auto counts = [&](size_t row, double value) {
    return !std::isnan(value) && (!weight || weight[row] > 0);
  };
  DistinctValues distinct(static_cast<size_t>(max_bins));
  bool few = true;
  for (size_t row = 0; row < x.n && few; ++row) {
    const double value = x.at(row, column);
    if (counts(row, value)) few = distinct.add(value);
  }
  if (few) {
    std::vector<double> values = distinct.take(), cuts;
    std::sort(values.begin(), values.end());
    for (size_t i = 0; i + 1 < values.size(); ++i)
      cuts.push_back(between(values[i], values[i + 1]));
    return cuts;
  }

  size_t n_counted = 0;
  for (size_t row = 0; row < x.n; ++row) n_counted += counts(row, x.at(row, column));
  const double share = static_cast<double>(sample_size) / static_cast<double>(n_counted);
  std::vector<std::pair<double, double>> values;
  values.reserve(std::min(n_counted, sample_size + sample_size / 8));
  for (size_t row = 0; row < x.n; ++row) {
    const double value = x.at(row, column);
    if (counts(row, value) && (share >= 1 || uniform(seed, row) < share))
      values.emplace_back(value, weight ? static_cast<double>(weight[row]) : 1.0);
  }
  std::sort(values.begin(), values.end());
  size_t kept = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (kept > 0 && values[kept - 1].first == values[i].first)
      values[kept - 1].second += values[i].second;
    else
      values[kept++] = values[i];
  }
  values.resize(kept);
  return equal_weight_cuts(values, max_bins);
}

template <class T>
void apply_cuts(const Matrix<T>& x, const std::vector<const double*>& cuts,
                const std::vector<int>& n_cuts, const int32_t* n_bins, uint8_t* codes,
                Team& team) {
  std::vector<double> edges(x.p * kMaxBins, std::numeric_limits<double>::infinity());
  for (size_t column = 0; column < x.p; ++column)
    std::copy(cuts[column], cuts[column] + n_cuts[column], edges.begin() + column * kMaxBins);
  team.run_ranges(x.n, kRowsPerTask, [&](size_t begin, size_t end) {
    for (size_t from = begin; from < end; from += kStripe)
      for (size_t column = 0; column < x.p; ++column)
        apply_one(x, column, edges.data() + column * kMaxBins, n_bins[column], from,
                  std::min(end, from + kStripe), codes);
  });
}

template std::vector<double> find_cuts(const Matrix<float>&, size_t, const float*, int,
                                       size_t, uint64_t);
template std::vector<double> find_cuts(const Matrix<double>&, size_t, const float*, int,
                                       size_t, uint64_t);
template void apply_cuts(const Matrix<float>&, const std::vector<const double*>&,
                         const std::vector<int>&, const int32_t*, uint8_t*, Team&);
template void apply_cuts(const Matrix<double>&, const std::vector<const double*>&,
                         const std::vector<int>&, const int32_t*, uint8_t*, Team&);

}  // namespace wgb
