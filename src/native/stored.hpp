// Sums on a matrix that is held: G_xy = scale · matrix_xy − shift_x − shift_y.
#pragma once
#include "kernel.hpp"
#include "simd.hpp"

namespace KG_SET {

// Columns handled at a time: a table of k × COLUMNS sums stays in the first-level cache for few
// clusters, in the second-level cache for many.
constexpr i64 COLUMNS = 256;

KG_INLINE void add_to(double* p, Vec<double> x) { store<double>(p, load<double>(p) + x); }
KG_INLINE void add_to(double* p, double x) { *p += x; }

// Calls `use` for all columns c of a row with w · (scale · row_c − own − across_c): as many at a time
// as fill a register, the rest one by one. Compilers find less good ways for float32.
template <class T, class Use>
KG_INLINE void scale_row(const T* row, double scale, double own, const double* across, double w,
                         i64 n, Use use) {
  constexpr i64 N = Simd<double>::N;
  i64 c = 0;
  for (; c + N <= n; c += N)
    use(c, w * (scale * load_wide(row + c) - own - load<double>(across + c)));
  for (; c < n; c++) use(c, w * (scale * row[c] - own - across[c]));
}

// Moves of points from cluster to cluster, in their order.
struct Moves {
  Vector<const i64> points;
  Vector<const double> weights;
  Vector<const i64> sources, targets;
};

// Carries out moves [first, last) on the columns [start, stop) of the sums.
template <class T>
inline void carry_out(Matrix<const T> matrix, double scale, Vector<const double> shift,
                      const Moves& moves, i64 first, i64 last, Matrix<double> table, i64 start,
                      i64 stop) {
  for (i64 a = start; a < stop; a += COLUMNS) {
    const i64 n = smaller(COLUMNS, stop - a);
    for (i64 m = first; m < last; m++) {
      const i64 point = moves.points[m];
      double* leave = table[moves.sources[m]] + a;
      double* enter = table[moves.targets[m]] + a;
      scale_row(matrix[point] + a, scale, shift[point], shift.data + a, moves.weights[m], n,
                [=](i64 c, auto change) __attribute__((always_inline)) {
                  add_to(leave + c, -change);
                  add_to(enter + c, change);
                });
    }
  }
}

}  // namespace KG_SET
