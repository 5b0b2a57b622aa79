// exp for loops over short arrays of floats, written so that compilers vectorise it.
#pragma once

#include <cstdint>
#include <cstring>

#include "dispatch.hpp"

namespace wgb {

// exp(x) to about 2e-7 relative for |x| <= 87; beyond that the value at the bound.
WGB_INLINE float fast_exp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 87.0f ? 87.0f : x;
  // x = n log 2 + r with |r| <= log(2) / 2, log 2 in two parts.
  const float scaled = x * 1.44269504f;
  const int32_t n = static_cast<int32_t>(scaled + 192.5f) - 192;  // rounded, for |scaled| < 192
  const float whole = static_cast<float>(n);
  const float r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const int32_t bits = (n + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

}  // namespace wgb
