// The functions φ in ρ(x, y) = φ(Σ_d δ(x_d, y_d)), and the Jensen-Shannon form δ.
//
// Exponentials, logarithms and arcs are spelled out in additions and multiplications on vectors, in
// float64 for all types: calling the system's function takes ten times as long, and differs between
// systems.
#pragma once
#include "codes.hpp"
#include "simd.hpp"

namespace KG_SET {

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
template <class T> KG_INLINE void store_narrow(T* p, Doubles v) {
  const auto few = __builtin_convertvector(v, typename Few<T>::Type);
  memcpy(p, &few, sizeof few);
}
KG_INLINE bool is_any(Integers mask) {
  i64 bits = mask[0];
  KG_UNROLL for (int i = 1; i < DOUBLES; i++) bits |= mask[i];
  return bits != 0;
}
template <int N> struct Series {
  double of[N];  // the last terms first
};
template <int N> KG_INLINE Doubles evaluate(const Series<N>& series, Doubles z) {
  Doubles sum = splat(series.of[0]);
  KG_UNROLL for (int i = 1; i < N; i++) sum = multiply_add(sum, z, splat(series.of[i]));
  return sum;
}

// ln 2 in two parts, the first with zeros at its end, so that n · LN2_HIGH is exact.
constexpr double LOG2_E = 1.4426950408889634;
constexpr double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
// Times this, subnormal numbers are normal.
constexpr double LIFT = 18446744073709551616.0;
// Added to a number below 2^51, it leaves the nearest integer in the last bits.
constexpr double ROUNDER = 6755399441055744.0;
constexpr i64 ONE = i64{1023} << 52;  // the bits of 1.0

// (e^r − 1 − r)/r².
constexpr Series<12> make_exponential() {
  Series<12> series{};
  double factorial = 1.0;
  for (int m = 2; m <= 13; m++) series.of[13 - m] = 1.0 / (factorial *= m);
  return series;
}
// (artanh s − s)/s³ in s².
constexpr Series<11> make_artanh() {
  Series<11> series{};
  for (int i = 0; i < 11; i++) series.of[i] = 1.0 / (23 - 2 * i);
  return series;
}
// ((1 + d) log(1 + d) + (1 − d) log(1 − d))/d² in d².
constexpr Series<13> make_shannon() {
  Series<13> series{};
  for (int i = 0, m = 13; i < 13; i++, m--) series.of[i] = 1.0 / (m * (2 * m - 1));
  return series;
}

struct Split {
  Doubles first, second;
};

// (2^n, e^r − 1) with e^x = 2^n e^r and |r| ≤ ln(2)/2, for x < 708; below −708 as at −708.
KG_INLINE Split split_exp(Doubles x) {
  static constexpr auto series = make_exponential();
  x = x < -708.0 ? splat(-708.0) : x;
  const Doubles moved = x * LOG2_E + ROUNDER, n = moved - ROUNDER;
  const Doubles r = multiply_add(n, splat(-LN2_LOW), multiply_add(n, splat(-LN2_HIGH), x));
  return {(Doubles)(((Integers)moved << 52) + ONE), multiply_add(evaluate(series, r), r * r, r)};
}

// e^x − 1, to two roundings also near zero.
KG_INLINE Doubles exp_minus_one(Doubles x) {
  const auto [scale, rest] = split_exp(x);
  return multiply_add(scale, rest, scale - 1.0);
}

// log t as two parts to be added, for positive numbers that are not subnormal.
//
// t = 2^e m with m between √½ and √2; ln m = 2 artanh s with s = (m − 1)/(m + 1).
KG_INLINE Split split_log(Doubles t) {
  static constexpr auto series = make_artanh();
  constexpr i64 root_half = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000;
  // e + 1023, which is not negative: few processors shift the sign of 64 bits, or convert them.
  typedef u64 Words __attribute__((vector_size(KG_BYTES)));
  const Integers bits = (Integers)t;
  const Integers power = (Integers)((Words)(bits - root_half + ONE) >> 52);
  const Doubles m = (Doubles)(bits - (power << 52) + ONE);
  const Doubles e = (Doubles)(power + two_52) - (4503599627370496.0 + 1023.0);
  const Doubles s = (m - 1.0) / (m + 1.0), z = s * s;
  const Doubles log_m = 2.0 * multiply_add(s, z * evaluate(series, z), s);
  return {e * LN2_HIGH, multiply_add(e, splat(LN2_LOW), log_m)};
}

// t^exponent for t ≥ 0 and an exponent in (0, 1], to about |ln t| roundings.
KG_INLINE Doubles raise(Doubles t, double exponent) {
  const Integers is_small = t < LEAST_NORMAL;
  const Doubles lifted = is_small ? t * LIFT : t;
  const auto [high, low] = split_log(lifted);
  const auto [scale, rest] = split_exp((high + low) * exponent);
  const Doubles raised = multiply_add(scale, rest, scale);
  // Zero, infinity and NaN stay what they are.
  const Doubles found = (Integers)(t > 0.0) & (Integers)(t < INFINITE) ? raised : t;
  if (__builtin_expect(!is_any(is_small & (Integers)(t > 0.0)), 1)) return found;
  const auto [size, more] = split_exp(splat(-64.0 * (LN2_HIGH + LN2_LOW) * exponent));
  return is_small ? found * multiply_add(size, more, size) : found;
}

// t exp(−√t / 2), which is 0 where no normal number is as small as the exponential.
KG_INLINE Doubles damp(Doubles t) {
  const Doubles x = square_root(t) * -0.5;
  const auto [scale, rest] = split_exp(x);
  return x >= -708.0 ? t * multiply_add(scale, rest, scale) : Doubles{};
}

// The sine of x ≥ 0, to about one rounding of it and one of x.
//
// π/2 stands in three parts, of which the first two have 33 bits. Coefficients of FDLIBM.
KG_INLINE Doubles sine(Doubles x) {
  static constexpr Series<6> of_sine = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                                        2.75573137070700676789e-06, -1.98412698298579493134e-04,
                                        8.33333333332248946124e-03, -1.66666666666666324348e-01};
  static constexpr Series<6> of_cosine = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                          -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                          -1.38888888888741095749e-03, 4.16666666666666019037e-02};
  const Doubles moved = x * 6.36619772367581382433e-01 + ROUNDER, n = moved - ROUNDER;
  Doubles r = multiply_add(n, splat(-1.57079632673412561417e+00), x);
  r = multiply_add(n, splat(-6.07710050630396597660e-11), r);
  r = multiply_add(n, splat(-2.02226624879595063154e-21), r);
  // Where whole turns are lost in the rounding of x.
  r = r > 1.0 ? splat(1.0) : r;
  r = r < -1.0 ? splat(-1.0) : r;
  const Doubles z = r * r, half = 0.5 * z, near = 1.0 - half;
  const Doubles s = multiply_add(z * r, evaluate(of_sine, z), r);
  const Doubles c = near + multiply_add(z * z, evaluate(of_cosine, z), (1.0 - near) - half);
  const Integers quarter = (Integers)moved;
  const Doubles value = (quarter & 1) == 1 ? c : s;
  return (quarter & 2) == 2 ? -value : value;
}

// The angle from 0 to π/2 of a sine x, to about one rounding.
//
// Above ½ it is π/2 − 2 arcsin √((1 − x)/2), whose root has a second part. Coefficients of FDLIBM.
KG_INLINE Doubles arc_of_sine(Doubles x) {
  static constexpr Series<6> top = {3.47933107596021167570e-05, 7.91534994289814532176e-04,
                                    -4.00555345006794114027e-02, 2.01212532134862925881e-01,
                                    -3.25565818622400915405e-01, 1.66666666666666657415e-01};
  static constexpr Series<5> bottom = {7.70381505559019352791e-02, -6.88283971605453293030e-01,
                                       2.02094576023350569471e+00, -2.40339491173441421878e+00,
                                       1.0};
  constexpr double quarter = 7.85398163397448278999e-01, half_low = 6.12323399573676603587e-17;
  x = x > 1.0 ? splat(1.0) : x;
  const Integers is_low = x < 0.5;
  const Doubles z = is_low ? x * x : 0.5 * (1.0 - x);
  const Doubles of_z = z * evaluate(top, z) / evaluate(bottom, z);
  const Doubles root = square_root(z);
  const Doubles high = (Doubles)((Integers)root & ~i64{0xffffffff});
  const Doubles more = z - high * high, ends = root + high;
  const Doubles low = more / (ends > 0.0 ? ends : splat(1.0));
  const Doubles off = 2.0 * root * of_z - (half_low - 2.0 * low);
  return is_low ? multiply_add(x, of_z, x) : quarter - (off - (quarter - 2.0 * high));
}

template <class T, class F> KG_INLINE void replace_each(T* values, i64 n, F function) {
  for (i64 j = 0; j < n; j += DOUBLES) store_narrow(values + j, function(load_wide(values + j)));
}

// Replaces each sum t by φ(t); n is a multiple of eight, to which callers fill up.
template <class T>
static __attribute__((noinline)) void transform(T* values, i64 n, i64 phi, double p) {
  switch (phi) {
    case POWER:
      if (p == 0.5) return replace_each(values, n, [](Doubles t) { return square_root(t); });
      return replace_each(values, n, [p](Doubles t) { return raise(t, p); });
    case SCALE: return replace_each(values, n, [p](Doubles t) { return t * p; });
    case LAPLACIAN: {
      // A divisor may be 0 by underflow.
      const double width = larger(2.0 * p, LEAST_SUBNORMAL);
      return replace_each(values, n, [width](Doubles t) {
        return exp_minus_one(-square_root(t) / width) * -2.0;
      });
    }
    case GAUSSIAN: {
      const double width = larger(2.0 * p * p, LEAST_SUBNORMAL);
      return replace_each(values, n,
                          [width](Doubles t) { return exp_minus_one(-t / width) * -2.0; });
    }
    case DAMPED: return replace_each(values, n, [](Doubles t) { return damp(t); });
    case SINE:
      return replace_each(values, n,
                          [p](Doubles t) { return t * (sine(square_root(t) / p) * p); });
    default:
      return replace_each(values, n, [p](Doubles t) {
        return arc_of_sine(square_root(t) * 0.5) * (2.0 * p);
      });
  }
}

// total + ½ p log(p/m) + ½ q log(q/m) with m = (p + q)/2 and 0 log 0 = 0, for p and some q.
//
// With d = (p − q)/(p + q) this is ½ m [(1 + d) log(1 + d) + (1 − d) log(1 − d)]. Where d² is below
// 1/16 the logarithms would cancel by more than four bits, and a series in d² takes their place. The
// larger of both comes first, so that no bit depends on their order.
template <class T> KG_INLINE Doubles add_shannon(Doubles total, T p, const T* at) {
  static constexpr auto of_squares = make_shannon();
  typedef typename Few<T>::Type Numbers;
  const Numbers q = load_few(at), all = p - Numbers{};
  const Doubles together = __builtin_convertvector(all + q, Doubles);
  const Doubles apart = absolute(__builtin_convertvector(all - q, Doubles));
  const Doubles d = apart / (together > 0.0 ? together : splat(LEAST_SUBNORMAL)), z = d * d;
  const Doubles quarter = 0.25 * together;
  const Integers is_close = z < 1.0 / 16;
  const Doubles series = 0.5 * z * evaluate(of_squares, z);
  const Doubles more = 1.0 + d, less = 1.0 - d;
  const auto [high, low] = split_log(more);
  const auto [high_less, low_less] = split_log(less);
  total = total + quarter * (is_close ? series : more * (high + low));
  return total + quarter * (is_close ? series : less * (high_less + low_less));
}

}  // namespace KG_SET
