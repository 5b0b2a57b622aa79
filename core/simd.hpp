// Short vectors of floats that stay in registers. With GNU extensions they are the compiler's own
// vector types, elsewhere plain arrays: the arithmetic is the same, element by element.
#pragma once

#include <cstring>

#include "dispatch.hpp"

namespace wgb {

#if defined(__GNUC__) && !defined(WGBOOST_PLAIN_VECTORS)

typedef float Vec8 __attribute__((vector_size(32), may_alias));
typedef float Vec4 __attribute__((vector_size(16), may_alias));
typedef float Vec2 __attribute__((vector_size(8), may_alias));

// a / b where b > 0, else 0.
template <class Vec>
WGB_INLINE void ratio_or_zero(const Vec& a, const Vec& b, Vec& out) {
  const Vec zero = a - a, one = zero + 1.0f;
  out = (b > zero ? a : zero) / (b > zero ? b : one);
}

// a where test > 0, else b.
template <class Vec>
WGB_INLINE Vec choose_positive(const Vec& test, const Vec& a, const Vec& b) {
  return test > test - test ? a : b;
}

#else

template <int N>
struct alignas(4 * N) PlainVec {
  float v[N];
  friend PlainVec operator+(PlainVec a, const PlainVec& b) { return a += b; }
  friend PlainVec operator-(PlainVec a, const PlainVec& b) {
    for (int i = 0; i < N; ++i) a.v[i] -= b.v[i];
    return a;
  }
  friend PlainVec operator*(PlainVec a, const PlainVec& b) {
    for (int i = 0; i < N; ++i) a.v[i] *= b.v[i];
    return a;
  }
  friend PlainVec operator+(PlainVec a, float b) {
    for (int i = 0; i < N; ++i) a.v[i] += b;
    return a;
  }
  friend PlainVec operator*(PlainVec a, float b) {
    for (int i = 0; i < N; ++i) a.v[i] *= b;
    return a;
  }
  PlainVec& operator+=(const PlainVec& b) {
    for (int i = 0; i < N; ++i) v[i] += b.v[i];
    return *this;
  }
};
using Vec8 = PlainVec<8>;
using Vec4 = PlainVec<4>;
using Vec2 = PlainVec<2>;

template <int N>
inline void ratio_or_zero(const PlainVec<N>& a, const PlainVec<N>& b, PlainVec<N>& out) {
  for (int i = 0; i < N; ++i) out.v[i] = b.v[i] > 0 ? a.v[i] / b.v[i] : 0.0f;
}

template <int N>
inline PlainVec<N> choose_positive(const PlainVec<N>& test, PlainVec<N> a, const PlainVec<N>& b) {
  for (int i = 0; i < N; ++i) a.v[i] = test.v[i] > 0 ? a.v[i] : b.v[i];
  return a;
}

#endif

// Sums in one fixed order: halves onto each other.
WGB_INLINE float sum_lanes(const Vec2& q) {
  float part[2];
  std::memcpy(part, &q, sizeof part);
  return part[0] + part[1];
}
WGB_INLINE float sum_lanes(const Vec4& q) {
  Vec2 low, high;
  std::memcpy(&low, &q, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&q) + sizeof low, sizeof high);
  return sum_lanes(low + high);
}
WGB_INLINE float sum_lanes(const Vec8& q) {
  Vec4 low, high;
  std::memcpy(&low, &q, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&q) + sizeof low, sizeof high);
  return sum_lanes(low + high);
}

// W lanes as `count` vectors of one type.
template <int W>
struct Lanes {
  static_assert(W % 8 == 0, "padded to whole vectors");
  using Vec = Vec8;
  static constexpr int count = W / 8;
};
template <>
struct Lanes<4> {
  using Vec = Vec4;
  static constexpr int count = 1;
};
template <>
struct Lanes<2> {
  using Vec = Vec2;
  static constexpr int count = 1;
};

}  // namespace wgb
