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

// Rows in any type, by the letter of it: e, f or d.
struct Numbers {
  const void* data;
  i64 rows, columns;
  char type;
};
template <> struct Read<Numbers> {
  static Numbers from(Reader& r) {
    const Value* v = r.take();
    r.fits = r.fits && v->axes == 2 && (v->type == 'e' || v->type == 'f' || v->type == 'd');
    return r.fits ? Numbers{v->data, v->shape[0], v->shape[1], v->type} : Numbers{};
  }
};

struct Held {
  Numbers rows;
  Vector<const double> mean;
  double scale;
  Vector<const double> inverse;  // (n,) 1 over the length of each row; (0,) for rows as they are

  bool fits() const {
    return mean.n == rows.columns && (inverse.n == 0 || inverse.n == rows.rows);
  }

  // Calls `use` with each d and the number that row i has there.
  template <class Use> KG_INLINE void each(i64 i, Use use) const {
    switch (rows.type) {
      case 'e': return each_of(static_cast<const Half*>(rows.data), i, use);
      case 'f': return each_of(static_cast<const float*>(rows.data), i, use);
      default: return each_of(static_cast<const double*>(rows.data), i, use);
    }
  }
  template <class T, class Use> KG_INLINE void each_of(const T* data, i64 i, Use use) const {
    const i64 n = rows.columns;
    const T* row = data + i * n;
    if (inverse.n == 0) {
      for (i64 d = 0; d < n; d++) use(d, as_double(row[d]));
    } else {
      const double by = inverse[i];
      for (i64 d = 0; d < n; d++) use(d, as_double(row[d]) * by);
    }
  }
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
template <class T> KG_APART void fill_row(const Held& F, i64 i, T* __restrict out) {
  const double* __restrict mean = F.mean.data;
  const double scale = F.scale;
  F.each(i, [=](i64 d, double x) { out[d] = static_cast<T>(scale * (x - mean[d])); });
}

// A row in float64, where it stands or in `room`.
[[maybe_unused]] KG_APART const double* read_row(const Held& F, i64 i, double* __restrict room) {
  if (F.rows.type == 'd' && F.inverse.n == 0)
    return static_cast<const double*>(F.rows.data) + i * F.rows.columns;
  F.each(i, [=](i64 d, double x) { room[d] = x; });
  return room;
}

// ‖f‖² of features in float32.
KG_INLINE double squared_norm(const float* features, i64 n) {
  return sum_squares(n, [=]<class V>(i64 d) { return take<V>(features + d); });
}

}  // namespace KG_SET
