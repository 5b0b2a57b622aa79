// Per-function CPU dispatch: one binary, compiled several times where the toolchain can choose
// a clone at load time, once (for the baseline) everywhere else. Results are the same bits on
// every path: the core is built without floating-point contraction and fixes its summation order.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where there is one

#if defined(__has_attribute)
#if __has_attribute(target_clones) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(WGBOOST_NO_CLONES)
#define WGB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef WGB_CLONES
#define WGB_CLONES
#endif

// Bodies are inlined into their clones, so that each is compiled for its clone's CPU.
#if defined(__GNUC__)
#define WGB_INLINE inline __attribute__((always_inline))
#define WGB_LAMBDA_INLINE __attribute__((always_inline))
#define WGB_RESTRICT __restrict__
#define WGB_PREFETCH(address) __builtin_prefetch(address)
#elif defined(_MSC_VER)
#define WGB_INLINE __forceinline
#define WGB_LAMBDA_INLINE
#define WGB_RESTRICT __restrict
#define WGB_PREFETCH(address) ((void)(address))
#else
#define WGB_INLINE inline
#define WGB_LAMBDA_INLINE
#define WGB_RESTRICT
#define WGB_PREFETCH(address) ((void)(address))
#endif

// Which vectors this CPU has: 2 for 16 floats, 1 for 8, 0 for those of the baseline.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(WGBOOST_NO_CLONES)
#define WGB_AVX512 __attribute__((target("avx512f")))
#define WGB_AVX2 __attribute__((target("avx2")))
inline int vector_level() {
  static const int level = __builtin_cpu_supports("avx512f") ? 2 : __builtin_cpu_supports("avx2");
  return level;
}
#else
#define WGB_AVX512
#define WGB_AVX2
inline int vector_level() { return 0; }
#endif
