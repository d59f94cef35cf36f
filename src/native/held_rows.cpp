// Features, their distances and their sums, of rows that stay as they came.
#include "held_rows.hpp"
#include "blas.hpp"

namespace KG_SET {

// The features of some rows, in the type of `out` (len(index), D).
template <class T>
static void fill_features(Call& call, const Held& F, Vector<const i64> index, Matrix<T> out) {
  if (!require(call, F.fits() && out.rows == index.n && out.columns == F.rows.columns,
               "fill_features: lengths differ") ||
      !require_below(call, index, F.rows.rows, "fill_features: a row is out of bounds"))
    return;
  for (i64 r = 0; r < index.n; r++) {
    fill_row(F, index[r], out[r]);
    if (must_stop(call, out.columns)) return;
  }
}

// Squared distances from one point to all, by differences.
static void fill_squared_distances(Call& call, const Held& F, i64 point, Vector<double> out) {
  const i64 n = F.rows.rows, columns = F.rows.columns;
  Scratch<double> x(call, columns), y(call, columns);
  if (!x || !y || !require(call, F.fits() && out.n == n && point >= 0 && point < n,
                           "fill_squared_distances: lengths differ, or the point is out of bounds"))
    return;
  const double* place = read_row(F, point, x.data);
  for (i64 i = 0; i < n; i++) {
    out[i] = F.scale * F.scale * squared_gap(read_row(F, i, y.data), place, columns);
    if (must_stop(call, columns)) return;
  }
}

// Products in float32 of the features of the rows from `first` on with a few vectors (few, D).
//
// OUT: out (rows, few), and the squared norms of the features.
static void fill_products(Call& call, const Held& F, i64 first, Matrix<const float> across,
                          Matrix<float> out, Vector<double> norms) {
  // Rows whose features are made at a time, which stay in the caches.
  constexpr i64 at_once = 256;
  const i64 columns = F.rows.columns;
  Scratch<float> features(call, at_once * columns);
  if (!features || !require(call, F.fits() && first >= 0 && out.rows <= F.rows.rows - first &&
                                      across.columns == columns && out.columns == across.rows &&
                                      norms.n == out.rows,
                            "fill_products: lengths differ"))
    return;
  for (i64 start = 0; start < out.rows; start += at_once) {
    const i64 n = smaller(at_once, out.rows - start);
    for (i64 r = 0; r < n; r++) {
      float* some = &features[r * columns];
      fill_row(F, first + start + r, some);
      norms[start + r] = squared_norm(some, columns);
    }
    kg::multiply(features.data, across.data, out[start], n, across.rows, columns);
    if (must_stop(call, n * columns * (1 + across.rows / 8))) return;
  }
}

// vectors[l] += Σ_{y ∈ C_l} w_y f_y over the rows from start to stop.
static void add_features(Call& call, const Held& F, Vector<const i64> labels,
                         Vector<const double> weights, i64 start, i64 stop,
                         Matrix<double> vectors) {
  const i64 n = F.rows.rows, columns = F.rows.columns;
  if (!require(call, F.fits() && labels.n == n && weights.n == n && start >= 0 && stop <= n &&
                         vectors.columns == columns,
               "add_features: lengths differ") ||
      !require_below(call, labels, vectors.rows, "add_features: a label is out of bounds"))
    return;
  const double* __restrict mean = F.mean.data;
  const double scale = F.scale;
  for (i64 i = start; i < stop; i++) {
    const double w = weights[i];
    if (w == 0.0) continue;
    double* __restrict vector = vectors[labels[i]];
    F.each(i, [=](i64 d, double x) { vector[d] += w * (scale * (x - mean[d])); });
    if (must_stop(call, columns)) return;
  }
}

// out[l] += Σ_{y ∈ C_l} w_y ‖f_y − c_l‖² over the rows from start to stop.
static void add_dispersions(Call& call, const Held& F, Vector<const i64> labels,
                            Vector<const double> weights, i64 start, i64 stop,
                            Matrix<const double> centers, Vector<double> out) {
  const i64 n = F.rows.rows, columns = F.rows.columns;
  Scratch<double> x(call, columns);
  if (!x ||
      !require(call, F.fits() && labels.n == n && weights.n == n && start >= 0 && stop <= n &&
                         centers.columns == columns && centers.rows == out.n,
               "add_dispersions: lengths differ") ||
      !require_below(call, labels, out.n, "add_dispersions: a label is out of bounds"))
    return;
  for (i64 i = start; i < stop; i++) {
    if (weights[i] == 0.0) continue;
    fill_row(F, i, x.data);
    out[labels[i]] += weights[i] * squared_gap(x.data, centers[labels[i]], columns);
    if (must_stop(call, columns)) return;
  }
}

KERNELS(held_rows) = {
    {"fill_features", run<fill_features<float>>},
    {"fill_features", run<fill_features<double>>},
    {"fill_squared_distances", run<fill_squared_distances>},
    {"fill_products", run<fill_products>},
    {"add_features", run<add_features>},
    {"add_dispersions", run<add_dispersions>},
};
KERNELS_END(held_rows)

}  // namespace KG_SET
