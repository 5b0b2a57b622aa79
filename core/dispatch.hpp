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
