// Sums of clusters on a matrix that is held. Each range of columns is independent of the others.
#include "stored.hpp"

namespace KG_SET {

// Rows of COLUMNS numbers that stay in the second-level cache while labelings take turns.
constexpr i64 ROWS = 64;

// tables[m, l, c] = Σ_{y ∈ C_l} w_y G(y, c) of labels[m] for the columns [start, stop).
//
// The matrix is read once for all labelings (m, n), and sums are added up as for each alone.
template <class T>
static void sum_stored(Call& call, Matrix<const T> matrix, double scale, Vector<const double> shift,
                       Matrix<const i64> labels, Vector<const double> weights,
                       Cube<double> tables, i64 start, i64 stop) {
  const i64 n = matrix.rows;
  if (!require(call, matrix.columns == n && shift.n == n && weights.n == n &&
                         labels.columns == n && labels.rows == tables.depth &&
                         tables.columns == n && start >= 0 && start <= stop && stop <= n,
               "sum_stored: lengths differ") ||
      !require_below(call, {labels.data, labels.rows * n}, tables.rows,
                     "sum_stored: a label is out of bounds"))
    return;
  for (i64 a = start; a < stop; a += COLUMNS) {
    const i64 size = smaller(COLUMNS, stop - a);
    for (i64 row = 0; row < tables.depth * tables.rows; row++)
      memset(tables.data + row * n + a, 0, sizeof(double) * size);
    for (i64 first = 0; first < n; first += ROWS) {
      const i64 last = smaller(first + ROWS, n);
      for (i64 some = 0; some < labels.rows; some++)
        for (i64 y = first; y < last; y++) {
          if (weights[y] == 0.0) continue;
          double* sums = tables[some][labels[some][y]] + a;
          scale_row(matrix[y] + a, scale, shift[y], shift.data + a, weights[y], size,
                    [=](i64 c, auto term) __attribute__((always_inline)) { add_to(sums + c, term); });
        }
      if (must_stop(call, (last - first) * labels.rows * size)) return;
    }
  }
}

// Carries out moves on the columns [start, stop) of the sums.
template <class T>
static void move_stored(Call& call, Matrix<const T> matrix, double scale,
                        Vector<const double> shift, const Moves& moves, Matrix<double> table,
                        i64 start, i64 stop) {
  const i64 n = matrix.rows, n_moves = moves.points.n;
  if (!require(call, matrix.columns == n && shift.n == n && moves.weights.n == n_moves &&
                         moves.sources.n == n_moves && moves.targets.n == n_moves &&
                         table.columns == n && start >= 0 && start <= stop && stop <= n,
               "move_stored: lengths differ") ||
      !require_below(call, moves.points, n, "move_stored: a point is out of bounds") ||
      !require_below(call, moves.sources, table.rows, "move_stored: no such cluster") ||
      !require_below(call, moves.targets, table.rows, "move_stored: no such cluster"))
    return;
  carry_out(matrix, scale, shift, moves, 0, n_moves, table, start, stop);
}

// out[i, j] = matrix[points[i], points[j]].
template <class T>
static void take_square(Call& call, Matrix<const T> matrix, Vector<const i64> points,
                        Matrix<T> out) {
  const i64 n = points.n;
  if (!require(call, out.rows == n && out.columns == n, "take_square: lengths differ") ||
      !require_below(call, points, smaller(matrix.rows, matrix.columns),
                     "take_square: a point is out of bounds"))
    return;
  for (i64 i = 0; i < n; i++) {
    const T* __restrict row = matrix[points[i]];
    T* __restrict into = out[i];
    for (i64 j = 0; j < n; j++) into[j] = row[points[j]];
    if (must_stop(call, n)) return;
  }
}

// vectors[l] += Σ_{y ∈ C_l} w_y f_y.
template <class T>
static void add_by_cluster(Call& call, Matrix<const T> features, Vector<const i64> labels,
                           Vector<const double> weights, Matrix<double> vectors) {
  const i64 n = features.rows, width = features.columns;
  if (!require(call, labels.n == n && weights.n == n && vectors.columns == width,
               "add_by_cluster: lengths differ") ||
      !require_below(call, labels, vectors.rows, "add_by_cluster: a label is out of bounds"))
    return;
  for (i64 first = 0; first < n; first += ROWS) {
    const i64 last = smaller(first + ROWS, n);
    for (i64 i = first; i < last; i++) {
      const double w = weights[i];
      if (w == 0.0) continue;
      double* __restrict vector = vectors[labels[i]];
      const T* __restrict row = features[i];
      i64 d = 0;
      for (; d + Simd<double>::N <= width; d += Simd<double>::N)
        add_to(vector + d, w * load_wide(row + d));
      for (; d < width; d++) vector[d] += w * row[d];
    }
    if (must_stop(call, (last - first) * width)) return;
  }
}

KERNELS(stored_sums) = {
    {"sum_stored", run<sum_stored<float>>},         {"sum_stored", run<sum_stored<double>>},
    {"move_stored", run<move_stored<float>>},       {"move_stored", run<move_stored<double>>},
    {"take_square", run<take_square<float>>},       {"take_square", run<take_square<double>>},
    {"add_by_cluster", run<add_by_cluster<float>>}, {"add_by_cluster", run<add_by_cluster<double>>},
};
KERNELS_END(stored_sums)

}  // namespace KG_SET
