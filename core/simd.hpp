// Short vectors of floats that stay in registers. With GNU extensions they are the compiler's own
// vector types, elsewhere plain arrays: the arithmetic is the same, element by element.
#pragma once

#include <cstdint>
#include <cstring>

#include "dispatch.hpp"

namespace wgb {

#if defined(__GNUC__) && !defined(WGBOOST_PLAIN_VECTORS)

typedef float Vec16 __attribute__((vector_size(64), may_alias));
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

template <class Vec>
WGB_INLINE Vec larger(const Vec& a, const Vec& b) {
  return a > b ? a : b;
}
template <class Vec>
WGB_INLINE Vec smaller(const Vec& a, const Vec& b) {
  return a < b ? a : b;
}

template <class Vec>
WGB_INLINE Vec all_of(float value) {
  return Vec{} + value;
}

// 2^n from 1.5 * 2^23 + n.
template <class Vec>
WGB_INLINE Vec power_of_two(const Vec& shifted) {
  decltype(shifted > shifted) bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits << 23) + 0x3f800000;
  Vec power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
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
  friend PlainVec operator/(PlainVec a, const PlainVec& b) {
    for (int i = 0; i < N; ++i) a.v[i] /= b.v[i];
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
using Vec16 = PlainVec<16>;
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

template <int N>
inline PlainVec<N> larger(PlainVec<N> a, const PlainVec<N>& b) {
  for (int i = 0; i < N; ++i) a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
  return a;
}
template <int N>
inline PlainVec<N> smaller(PlainVec<N> a, const PlainVec<N>& b) {
  for (int i = 0; i < N; ++i) a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
  return a;
}

template <class Vec>
inline Vec all_of(float value) {
  Vec out;
  for (float& v : out.v) v = value;
  return out;
}

// 2^n from 1.5 * 2^23 + n.
template <int N>
inline PlainVec<N> power_of_two(const PlainVec<N>& shifted) {
  uint32_t bits[N];
  std::memcpy(bits, &shifted, sizeof bits);
  for (uint32_t& b : bits) b = (b << 23) + 0x3f800000u;
  PlainVec<N> power;
  std::memcpy(&power, bits, sizeof power);
  return power;
}

#endif

template <class Vec>
WGB_INLINE Vec load(const float* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Vec>
WGB_INLINE void store(float* to, const Vec& v) {
  std::memcpy(to, &v, sizeof v);
}
template <class Vec>
WGB_INLINE Vec absolute(const Vec& v) {
  return larger(v, v * -1.0f);
}

// 2^x to about 2e-7 + 4e-8 |x| relative for -126 <= x <= 126; beneath that the value at -126.
template <class Vec>
WGB_INLINE Vec exp2_of(const Vec& given) {
  const Vec x = larger(given, all_of<Vec>(-126.0f));
  // x = n + r with |r| <= 1/2: adding 1.5 * 2^23 rounds to the whole number n.
  const Vec shifted = x + 12582912.0f;
  const Vec r = x - (shifted + -12582912.0f);
  Vec p = r * 1.32647e-3f + 9.67153395e-3f;
  p = p * r + 5.550734e-2f;
  p = p * r + 0.240222418f;
  p = p * r + 0.693146977f;
  return (p * r + 1.0f) * power_of_two(shifted);
}

// exp(x) to about 2e-7 relative for -87 <= x <= 87; beneath that the value at -87.
template <class Vec>
WGB_INLINE Vec exp_of(const Vec& given) {
  const Vec x = larger(given, all_of<Vec>(-87.0f));
  // x = n log 2 + r with |r| <= log(2) / 2: adding 1.5 * 2^23 rounds to the whole number n, and
  // log 2 comes in two parts.
  const Vec shifted = x * 1.44269504f + 12582912.0f;
  const Vec n = shifted + -12582912.0f;
  const Vec r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Vec p = r * 8.31252019e-3f + 4.1890157e-2f;
  p = p * r + 0.166671147f;
  p = p * r + 0.499992315f;
  p = p * (r * r) + r + 1.0f;
  return p * power_of_two(shifted);
}

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
