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
#include "numbers.hpp"

#if defined(__AVX512F__)
#define KG_BYTES 64
#elif defined(__AVX__)
#define KG_BYTES 32
#else
#define KG_BYTES 16
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
#define KG_REGISTERS 32
#else
#define KG_REGISTERS 16
#endif
// For loops in vectors that need __restrict, which compilers forget where they inline.
#define KG_APART static __attribute__((noinline))
#if defined(__clang__)
#define KG_UNROLL _Pragma("clang loop unroll(full)")
#else
#define KG_UNROLL _Pragma("GCC unroll 32")
#endif

namespace KG_SET {

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
// Loads a vector that several rows use into a register: GCC would load it again for each use.
template <class T> KG_INLINE Vec<T> load_once(const T* p) {
  Vec<T> v = load<T>(p);
#if defined(__x86_64__) && !defined(__clang__)
  asm("" : "+v"(v));
#endif
  return v;
}
template <class T> KG_INLINE void store(T* p, Vec<T> v) { memcpy(p, &v, sizeof v); }
template <class T> KG_INLINE Vec<T> splat(T x) { return x - Vec<T>{}; }

#if defined(__AVX512F__)
// With a mask of all lanes, because GCC 12 warns of what the plain functions leave undefined.
KG_INLINE Vec<float> square_root(Vec<float> a) {
  return (Vec<float>)_mm512_maskz_sqrt_ps(0xffff, (__m512)a);
}
KG_INLINE Vec<double> square_root(Vec<double> a) {
  return (Vec<double>)_mm512_maskz_sqrt_pd(0xff, (__m512d)a);
}
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
  const __m256d lower = _mm512_maskz_extractf64x4_pd(0xf, halves, 0);
  const __m256d upper = _mm512_maskz_extractf64x4_pd(0xf, halves, 1);
  low = (Vec<double>)_mm512_maskz_cvtps_pd(0xff, _mm256_castpd_ps(lower));
  high = (Vec<double>)_mm512_maskz_cvtps_pd(0xff, _mm256_castpd_ps(upper));
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

using Doubles = Vec<double>;
using Integers = Vec<i64>;
constexpr int DOUBLES = Simd<double>::N;

// As many numbers of an array in T as a vector has in float64.
template <class T> struct Few {
  typedef T Type __attribute__((vector_size(DOUBLES * sizeof(T))));
};
template <class T> KG_INLINE typename Few<T>::Type load_few(const T* p) {
  typename Few<T>::Type few;
  memcpy(&few, p, sizeof few);
  return few;
}
template <class T> KG_INLINE Doubles load_wide(const T* p) {
  return __builtin_convertvector(load_few(p), Doubles);
}
#if KG_BYTES == 64
// GCC 12 would convert the halves of a vector one after the other.
KG_INLINE Doubles load_wide(const float* p) {
  return (Doubles)_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p));
}
#elif KG_BYTES == 32
KG_INLINE Doubles load_wide(const float* p) { return (Doubles)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
#endif
// Exact for every finite number, also for subnormal ones.
KG_INLINE Doubles load_wide(const Half* p) {
#if KG_BYTES == 64
  const auto numbers = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return __builtin_convertvector((Few<float>::Type)numbers, Doubles);
#elif defined(__F16C__)
  const auto numbers = _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  return __builtin_convertvector((Few<float>::Type)numbers, Doubles);
#else
  const auto bits = __builtin_convertvector(load_few(&p->bits), Few<u32>::Type);
  const auto moved = (bits & 0x7fffu) << 13 | (bits & 0x8000u) << 16;
  return __builtin_convertvector((Few<float>::Type)moved * TO_FLOAT, Doubles);
#endif
}
template <class T> KG_INLINE void store_narrow(T* p, Doubles v) {
  const auto few = __builtin_convertvector(v, typename Few<T>::Type);
  memcpy(p, &few, sizeof few);
}
KG_INLINE bool is_any(Integers mask) {
  i64 bits = mask[0];
  KG_UNROLL for (int i = 1; i < DOUBLES; i++) bits |= mask[i];
  return bits != 0;
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
    typedef double Four __attribute__((vector_size(32)));
    typedef double Two __attribute__((vector_size(16)));
    Four four[2];
    memcpy(four, part, sizeof four);
    four[0] = four[0] + four[1];
    Two two[2];
    memcpy(two, four, sizeof two);
    two[0] = two[0] + two[1];
    return two[0][0] + two[0][1];
  }
};

}  // namespace KG_SET
