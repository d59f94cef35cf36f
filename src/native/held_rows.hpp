// Rows that stay as they came, and the features that loops read from them.
//
// Features are scale · (x − mean), where x is a row, or a row divided by its length. Nothing but the
// numbers that a loop is at is ever widened or divided.
#pragma once
#include "kernel.hpp"
#include "simd.hpp"

namespace KG_SET {

using Wide = Vec<double>;

// One number at an address, or as many from there on as a register holds in float64.
template <class V, class T> KG_INLINE V take(const T* p) {
  if constexpr (__is_same(V, double)) return as_double(*p);
  else return load_wide(p);
}

// Rows as they are.
template <class T> struct Rows {
  Matrix<const T> rows;
  Vector<const double> mean;
  double scale;
  static constexpr bool ARE_UNITS = false;

  struct Row {
    const T* numbers;
    template <class V> KG_INLINE V at(i64 d) const { return take<V>(numbers + d); }
  };
  KG_INLINE Row operator[](i64 i) const { return {rows[i]}; }
  bool fits() const { return mean.n == rows.columns; }
};

// Rows that are divided by their lengths.
template <class T> struct UnitRows {
  Matrix<const T> rows;
  Vector<const double> mean;
  double scale;
  Vector<const double> inverse;  // (n,) 1 over the length of each row
  static constexpr bool ARE_UNITS = true;

  struct Row {
    const T* numbers;
    double inverse;
    template <class V> KG_INLINE V at(i64 d) const { return take<V>(numbers + d) * inverse; }
  };
  KG_INLINE Row operator[](i64 i) const { return {rows[i], inverse[i]}; }
  bool fits() const { return mean.n == rows.columns && inverse.n == rows.rows; }
};

// Σ v(d)² over n coordinates, for v that gives one number, or those of a register from d on.
template <class F> KG_INLINE double sum_squares(i64 n, F v) {
  constexpr int size = Simd<double>::N;
  Lanes lanes;
  i64 d = 0;
  for (; d + Lanes::N <= n; d += Lanes::N)
    KG_UNROLL for (int p = 0; p < Lanes::PARTS; p++) {
      const Wide some = v.template operator()<Wide>(d + p * size);
      lanes.part[p] = multiply_add(some, some, lanes.part[p]);
    }
  double total = d > 0 ? lanes.sum() : 0.0;
  for (; d < n; d++) {
    const double one = v.template operator()<double>(d);
    total = multiply_add(one, one, total);
  }
  return total;
}

// ‖a − b‖²
KG_INLINE double squared_gap(const double* a, const double* b, i64 n) {
  return sum_squares(n, [=]<class V>(i64 d) { return take<V>(a + d) - take<V>(b + d); });
}

// The features of a row, in the type of `out`.
template <class H, class T>
KG_APART void fill_row(const H& F, i64 i, T* __restrict out) {
  const auto row = F[i];
  const double* __restrict mean = F.mean.data;
  const double scale = F.scale;
  for (i64 d = 0, n = F.rows.columns; d < n; d++)
    out[d] = static_cast<T>(scale * (row.template at<double>(d) - mean[d]));
}

// ‖f − place‖² of the features of a row.
template <class H> KG_INLINE double squared_distance(const H& F, i64 i, const double* place) {
  const auto row = F[i];
  const double* mean = F.mean.data;
  const double scale = F.scale;
  return sum_squares(F.rows.columns, [=]<class V>(i64 d) {
    return scale * (row.template at<V>(d) - take<V>(mean + d)) - take<V>(place + d);
  });
}

// ‖f‖² of features in float32.
KG_INLINE double squared_norm(const float* features, i64 n) {
  return sum_squares(n, [=]<class V>(i64 d) { return take<V>(features + d); });
}

// One kernel for directions in all types, and for all rows.
#define FOR_UNIT_ROWS(kernel)              \
  {#kernel, run<kernel<UnitRows<Half>>>},  \
  {#kernel, run<kernel<UnitRows<float>>>}, \
  {#kernel, run<kernel<UnitRows<double>>>}
#define FOR_ROWS(kernel)              \
  {#kernel, run<kernel<Rows<float>>>}, {#kernel, run<kernel<Rows<double>>>}, FOR_UNIT_ROWS(kernel)

}  // namespace KG_SET
