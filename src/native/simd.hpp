// Vectors of the widest registers of a set of instructions, and arithmetic that is spelled out.
//
// Nothing is fused or reordered by compilers (-ffp-contract=off): multiply_add is one rounding where
// the processor has it and two on the baseline, and sums across lanes have one order on every set.
#pragma once
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#include "values.hpp"

#if defined(__AVX512F__)
#define KG_BYTES 64
#elif defined(__AVX__)
#define KG_BYTES 32
#else
#define KG_BYTES 16
#endif
#define KG_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define KG_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KG_UNROLL _Pragma("GCC unroll 32")
#endif

namespace KG_SET {

constexpr double EPSILON = 2.220446049250313e-16;
constexpr double LEAST_NORMAL = 2.2250738585072014e-308;
constexpr double LEAST_SUBNORMAL = 4.9406564584124654e-324;
constexpr double INFINITE = __builtin_inf();

template <class T> KG_INLINE T larger(T a, T b) { return a > b ? a : b; }
template <class T> KG_INLINE T smaller(T a, T b) { return a < b ? a : b; }
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
// The nearest integer, of two the even one, for |a| < 2^51.
KG_INLINE double round_even(double a) {
  constexpr double shift = 6755399441055744.0;
  return (a + shift) - shift;
}
KG_INLINE i64 bits_of(double a) { return __builtin_bit_cast(i64, a); }
KG_INLINE double double_of(i64 bits) { return __builtin_bit_cast(double, bits); }
// Exact for every finite number, also for subnormal ones.
KG_INLINE float widen(Half h) {
  const u32 bits = h.bits;
  const u32 moved = (bits & 0x7fffu) << 13 | (bits & 0x8000u) << 16;
  return __builtin_bit_cast(float, moved) * 5192296858534827628530496329220096.0f;  // 2^112
}
KG_INLINE double as_double(double a) { return a; }
KG_INLINE double as_double(float a) { return a; }
KG_INLINE double as_double(Half a) { return widen(a); }

template <class T> struct Simd {
  typedef T Type __attribute__((vector_size(KG_BYTES)));
  static constexpr int N = KG_BYTES / sizeof(T);
};
template <class T> using Vec = typename Simd<T>::Type;

template <class T> KG_INLINE Vec<T> load(const T* p) {
  Vec<T> v;
  memcpy(&v, p, sizeof v);
  return v;
}
template <class T> KG_INLINE void store(T* p, Vec<T> v) { memcpy(p, &v, sizeof v); }
template <class T> KG_INLINE Vec<T> splat(T x) { return x - Vec<T>{}; }

#if defined(__AVX512F__)
KG_INLINE Vec<float> square_root(Vec<float> a) { return (Vec<float>)_mm512_sqrt_ps((__m512)a); }
KG_INLINE Vec<double> square_root(Vec<double> a) { return (Vec<double>)_mm512_sqrt_pd((__m512d)a); }
KG_INLINE Vec<float> multiply_add(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
KG_INLINE Vec<double> multiply_add(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
KG_INLINE Vec<float> absolute(Vec<float> a) { return (Vec<float>)_mm512_abs_ps((__m512)a); }
KG_INLINE Vec<double> absolute(Vec<double> a) { return (Vec<double>)_mm512_abs_pd((__m512d)a); }
KG_INLINE void widen(Vec<float> a, Vec<double>& low, Vec<double>& high) {
  const __m512d halves = _mm512_castps_pd((__m512)a);
  low = (Vec<double>)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)a));
  high = (Vec<double>)_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(halves, 1)));
}
#elif defined(__AVX2__)
KG_INLINE Vec<float> square_root(Vec<float> a) { return (Vec<float>)_mm256_sqrt_ps((__m256)a); }
KG_INLINE Vec<double> square_root(Vec<double> a) { return (Vec<double>)_mm256_sqrt_pd((__m256d)a); }
KG_INLINE Vec<float> multiply_add(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
KG_INLINE Vec<double> multiply_add(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
KG_INLINE Vec<float> absolute(Vec<float> a) {
  return (Vec<float>)_mm256_andnot_ps(_mm256_set1_ps(-0.0f), (__m256)a);
}
KG_INLINE Vec<double> absolute(Vec<double> a) {
  return (Vec<double>)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a);
}
KG_INLINE void widen(Vec<float> a, Vec<double>& low, Vec<double>& high) {
  low = (Vec<double>)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)a));
  high = (Vec<double>)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)a, 1));
}
#elif defined(__SSE2__)
KG_INLINE Vec<float> square_root(Vec<float> a) { return (Vec<float>)_mm_sqrt_ps((__m128)a); }
KG_INLINE Vec<double> square_root(Vec<double> a) { return (Vec<double>)_mm_sqrt_pd((__m128d)a); }
KG_INLINE Vec<float> multiply_add(Vec<float> a, Vec<float> b, Vec<float> c) { return a * b + c; }
KG_INLINE Vec<double> multiply_add(Vec<double> a, Vec<double> b, Vec<double> c) {
  return a * b + c;
}
KG_INLINE Vec<float> absolute(Vec<float> a) {
  return (Vec<float>)_mm_andnot_ps(_mm_set1_ps(-0.0f), (__m128)a);
}
KG_INLINE Vec<double> absolute(Vec<double> a) {
  return (Vec<double>)_mm_andnot_pd(_mm_set1_pd(-0.0), (__m128d)a);
}
KG_INLINE void widen(Vec<float> a, Vec<double>& low, Vec<double>& high) {
  low = (Vec<double>)_mm_cvtps_pd((__m128)a);
  high = (Vec<double>)_mm_cvtps_pd(_mm_movehl_ps((__m128)a, (__m128)a));
}
#elif defined(__aarch64__)
KG_INLINE Vec<float> square_root(Vec<float> a) { return (Vec<float>)vsqrtq_f32((float32x4_t)a); }
KG_INLINE Vec<double> square_root(Vec<double> a) { return (Vec<double>)vsqrtq_f64((float64x2_t)a); }
KG_INLINE Vec<float> multiply_add(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
KG_INLINE Vec<double> multiply_add(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
KG_INLINE Vec<float> absolute(Vec<float> a) { return (Vec<float>)vabsq_f32((float32x4_t)a); }
KG_INLINE Vec<double> absolute(Vec<double> a) { return (Vec<double>)vabsq_f64((float64x2_t)a); }
KG_INLINE void widen(Vec<float> a, Vec<double>& low, Vec<double>& high) {
  low = (Vec<double>)vcvt_f64_f32(vget_low_f32((float32x4_t)a));
  high = (Vec<double>)vcvt_high_f64_f32((float32x4_t)a);
}
#endif

// As many numbers as fill a register in float64. GCC makes two of __builtin_convertvector, and warns
// of its own headers where a conversion has no mask.
KG_INLINE Vec<double> load_double(const double* p) { return load<double>(p); }
KG_INLINE Vec<double> load_double(const float* p) {
#if defined(__AVX512F__)
  return (Vec<double>)_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p));
#elif defined(__AVX2__)
  return (Vec<double>)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
  return Vec<double>{p[0], p[1]};
#endif
}

// Eight lanes in float64 whose sum has one order on every set: what loops that add up use.
// ((0+4)+(2+6)) + ((1+5)+(3+7))
struct Lanes {
  static constexpr int N = 8, PARTS = N / Simd<double>::N;
  Vec<double> part[PARTS] = {};

  KG_INLINE void add(const double* p) {
    KG_UNROLL for (int i = 0; i < PARTS; i++)
      part[i] = part[i] + load<double>(p + i * Simd<double>::N);
  }
  KG_INLINE void add_product(const double* p, const double* q) {
    KG_UNROLL for (int i = 0; i < PARTS; i++)
      part[i] = multiply_add(load<double>(p + i * Simd<double>::N),
                             load<double>(q + i * Simd<double>::N), part[i]);
  }
  KG_INLINE double sum() const {
    double x[N];
    memcpy(x, part, sizeof x);
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  }
};

}  // namespace KG_SET
