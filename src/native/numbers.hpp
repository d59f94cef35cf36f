// Arithmetic on single numbers, spelled out.
#pragma once
#include "values.hpp"

#define KG_INLINE inline __attribute__((always_inline))

namespace KG_SET {

constexpr double EPSILON = 2.220446049250313e-16;
constexpr double LEAST_NORMAL = 2.2250738585072014e-308;
constexpr double LEAST_SUBNORMAL = 4.9406564584124654e-324;
constexpr double INFINITE = __builtin_inf();

template <class T> KG_INLINE T larger(T a, T b) { return a > b ? a : b; }
template <class T> KG_INLINE T smaller(T a, T b) { return a < b ? a : b; }
// Counts on; a count that no array can have, which Python may pass, starts again from the other end.
KG_INLINE void count(i64& n, i64 by) { static_cast<void>(__builtin_add_overflow(n, by, &n)); }
KG_INLINE double absolute(double a) { return __builtin_fabs(a); }
KG_INLINE float absolute(float a) { return __builtin_fabsf(a); }
KG_INLINE double square_root(double a) { return __builtin_sqrt(a); }
KG_INLINE float square_root(float a) { return __builtin_sqrtf(a); }
KG_INLINE double multiply_add(double a, double b, double c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
KG_INLINE float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
// A number in float16 with its bits moved to the places of float32 is too small by 2^112.
constexpr float TO_FLOAT = 5192296858534827628530496329220096.0f;
// Exact for every finite number, also for subnormal ones.
KG_INLINE float widen(Half h) {
  const u32 bits = h.bits;
  const u32 moved = (bits & 0x7fffu) << 13 | (bits & 0x8000u) << 16;
  return __builtin_bit_cast(float, moved) * TO_FLOAT;
}
KG_INLINE double as_double(double a) { return a; }
KG_INLINE double as_double(float a) { return a; }
KG_INLINE double as_double(Half a) { return widen(a); }

}  // namespace KG_SET
