// Sixteen rows of particles side by side, one row to a lane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd.hpp"

namespace wgb {

constexpr size_t kLanes = 16;

// Rows [begin, begin + count) of arrays over n rows; lanes beyond the last repeat it.
struct RowBlock {
  size_t begin, count;
  size_t row(size_t lane) const { return begin + std::min(lane, count - 1); }
};

// Arrays (size, kLanes) for one block, each at the start of a cache line.
class LaneArrays {
 public:
  LaneArrays(size_t count, size_t size) : size_(size * kLanes), memory_(count * size_ + kLanes) {
    const size_t over = reinterpret_cast<uintptr_t>(memory_.data()) / sizeof(float) % kLanes;
    first_ = memory_.data() + (kLanes - over) % kLanes;
  }
  LaneArrays(const LaneArrays&) = delete;
  LaneArrays& operator=(const LaneArrays&) = delete;
  float* operator[](size_t i) { return first_ + i * size_; }

 private:
  size_t size_;
  std::vector<float> memory_;
  float* first_;
};

// A number per row, or one for all.
struct PerRow {
  const float* values;
  bool one;
  void at(const RowBlock& rows, float* lanes) const {
    for (size_t r = 0; r < kLanes; ++r) lanes[r] = values[one ? 0 : rows.row(r)];
  }
};

// Runs Loop::run<Vec>(lane, arguments...) for all lanes, with the vectors that the CPU has.
template <class Loop, class... Arguments>
WGB_AVX512 void run_avx512(Arguments... arguments) {
  Loop::template run<Vec16>(0, arguments...);
}
template <class Loop, class... Arguments>
WGB_AVX2 void run_avx2(Arguments... arguments) {
  for (size_t lane = 0; lane < kLanes; lane += 8) Loop::template run<Vec8>(lane, arguments...);
}
template <class Loop, class... Arguments>
void run_baseline(Arguments... arguments) {
  for (size_t lane = 0; lane < kLanes; lane += 4) Loop::template run<Vec4>(lane, arguments...);
}
template <class Loop, class... Arguments>
void run_lanes(Arguments... arguments) {
  if (vector_level() == 2)
    run_avx512<Loop>(arguments...);
  else if (vector_level() == 1)
    run_avx2<Loop>(arguments...);
  else
    run_baseline<Loop>(arguments...);
}

// (n, size) in memory to (size, kLanes), and back. `size` numbers make a row.
void rows_to_lanes(const float* from, const RowBlock& rows, size_t size, float* to);
void lanes_to_rows(const float* from, const RowBlock& rows, size_t size, float* to);

// The derivatives of a log density at the particles (m, d, kLanes) of a block of rows: the score
// and, unless null, the curvature, minus the diagonal of the Hessian.
class Derivatives {
 public:
  virtual ~Derivatives() = default;
  virtual void at(const RowBlock& rows, const float* x, int m, int d, float* score,
                  float* curvature) const = 0;
};

// Derivatives that were worked out before, (n, m, d).
class GivenDerivatives : public Derivatives {
 public:
  GivenDerivatives(const float* score, const float* curvature)
      : score_(score), curvature_(curvature) {}
  void at(const RowBlock& rows, const float*, int m, int d, float* score,
          float* curvature) const override {
    const size_t size = static_cast<size_t>(m) * static_cast<size_t>(d);
    rows_to_lanes(score_, rows, size, score);
    if (curvature) rows_to_lanes(curvature_, rows, size, curvature);
  }

 private:
  const float *score_, *curvature_;
};

}  // namespace wgb
