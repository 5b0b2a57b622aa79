// Raw features to uint8 codes.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace wgb {

// A matrix of float32 or float64 in any layout, strides in elements.
template <class T>
struct Matrix {
  const T* data;
  size_t n, p;
  int64_t row_stride, column_stride;
  double at(size_t row, size_t column) const {
    return static_cast<double>(
        data[static_cast<int64_t>(row) * row_stride + static_cast<int64_t>(column) * column_stride]);
  }
};

constexpr int kMaxBins = 255;

// Edges between at most `max_bins` bins of one feature: value x has code = number of edges < x.
// A cut between all neighbouring values when there are at most max_bins of them, else bins of
// about equal weight in which a heavy value stands alone; these come from a seeded sample of about
// `sample_size` rows when more have a value. Rows of weight 0 and missing values do not count.
template <class T>
std::vector<double> find_cuts(const Matrix<T>& x, size_t column, const float* weight, int max_bins,
                              size_t sample_size, uint64_t seed);

// codes, column after column, of raw values; a missing value gets the code after the feature's last
// bin. (Categories have a cut behind the last one too: values beyond it are missing.)
template <class T>
void apply_cuts(const Matrix<T>& x, const std::vector<const double*>& cuts,
                const std::vector<int>& n_cuts, const int32_t* n_bins, uint8_t* codes, Team& team);

}  // namespace wgb
