// Sums over sparse rows: products with vectors of all clusters, entry by entry.
#include "cluster_sums.hpp"

namespace KG_SET {

// vectors[:, l] += Σ_{y ∈ C_l} w_y y. O(nnz).
static void add_rows_to_clusters(Call& call, const RowSums& of, Vector<const i64> labels,
                                 Vector<const double> weights) {
  if (!of.fits(call, of.vectors.columns) ||
      !require(call, labels.n == of.n() && weights.n == of.n(), "lengths of rows differ") ||
      !require_below(call, labels, of.vectors.columns, "a label is out of bounds"))
    return;
  for (i64 i = 0; i < labels.n; i++) {
    if (weights[i] != 0.0) of.add(i, labels[i], weights[i]);
    if (must_stop(call, 1 + of.X.end(i) - of.X.begin(i))) return;
  }
}

// Products of the rows from `start` to `stop` with all vectors, in these columns of out (k, n).
static void fill_row_products(Call& call, const RowSums& of, i64 start, i64 stop, i64 offset,
                          Matrix<double> out) {
  const i64 k = out.rows;
  if (!of.fits(call, k) ||
      !require(call, start >= 0 && stop <= of.n() && offset >= 0 &&
                         stop - start <= out.columns - offset,
               "fill_row_products: no such rows"))
    return;
  Scratch<double> sums(call, k);
  if (!sums) return;
  for (i64 i = start; i < stop; i++) {
    of.fill(i, {}, {}, sums.data);
    for (i64 cluster = 0; cluster < k; cluster++) out[cluster][offset + i - start] = sums[cluster];
    if (must_stop(call, of.work(i))) return;
  }
}

// Inner products of some rows with all, (m, n).
//
// Entries are added in the order of columns, as in norms, so that those of equal rows are equal.
static void fill_rows_of_products(Call& call, const Csr<i64>& X, Vector<const i64> index,
                                  Matrix<double> out) {
  if (!require_csr(call, X) ||
      !require(call, out.rows == index.n && out.columns == X.n(), "lengths of rows differ") ||
      !require_below(call, index, X.n(), "a row is out of bounds"))
    return;
  Scratch<double> room(call, X.n_columns);
  if (!room) return;
  for (i64 column = 0; column < X.n_columns; column++) room[column] = 0.0;
  const i64* __restrict columns = X.columns.data;
  const double* __restrict values = X.values.data;
  for (i64 m = 0; m < index.n; m++) {
    const i64 point = index[m];
    for (i64 e = X.begin(point); e < X.end(point); e++) room[columns[e]] = values[e];
    const double* __restrict dense = room.data;
    double* __restrict into = out[m];
    for (i64 i = 0; i < X.n(); i++) {
      double total = 0.0;
      for (i64 e = X.begin(i); e < X.end(i); e++) total += values[e] * dense[columns[e]];
      into[i] = total;
    }
    for (i64 e = X.begin(point); e < X.end(point); e++) room[columns[e]] = 0.0;
    if (must_stop(call, X.columns.n)) return;
  }
}

// out[l] += Σ w ‖x − c_l‖², column by column, where c_l = vectors / totals. O(nnz + Dk).
//
// In a column the rows with an entry add w (x − c)², and what the others weigh times c². No sums of
// squares are subtracted; where all have an entry, nothing is left for the others.
static void add_row_dispersions(Call& call, const RowSums& of, Vector<const i64> labels,
                            Vector<const double> weights, Vector<const double> totals,
                            Vector<const i64> members, Vector<double> out) {
  const i64 k = of.vectors.columns, size = of.vectors.rows * k;
  if (!of.fits(call, out.n) ||
      !require(call, labels.n == of.n() && weights.n == of.n() && totals.n == k &&
                         members.n == k,
               "lengths of rows and clusters differ") ||
      !require_below(call, labels, k, "a label is out of bounds"))
    return;
  Scratch<double> present(call, size);
  Scratch<i64> count(call, size);
  if (!present || !count) return;
  for (i64 p = 0; p < size; p++) present[p] = 0.0, count[p] = 0;
  for (i64 i = 0; i < labels.n; i++) {
    const i64 cluster = labels[i];
    const double w = weights[i];
    if (!(w > 0.0)) continue;
    for (i64 e = of.X.begin(i); e < of.X.end(i); e++) {
      const i64 place = of.X.columns[e] * k + cluster;
      const double apart = of.X.values[e] - of.vectors.data[place] / totals[cluster];
      out[cluster] += w * apart * apart;
      present[place] += w;
      count[place]++;
    }
    if (must_stop(call, of.X.end(i) - of.X.begin(i))) return;
  }
  for (i64 column = 0; column < of.vectors.rows; column++) {
    for (i64 cluster = 0; cluster < k; cluster++) {
      const i64 place = column * k + cluster;
      if (count[place] == 0 || count[place] >= members[cluster]) continue;
      const double center = of.vectors.data[place] / totals[cluster];
      out[cluster] += larger(totals[cluster] - present[place], 0.0) * center * center;
    }
  }
}

// Squared norms, entries in the order of columns.
static void fill_norms(Call& call, const Csr<i64>& X, Vector<double> out) {
  if (!require_csr(call, X) || !require(call, out.n == X.n(), "lengths of rows differ")) return;
  for (i64 i = 0; i < out.n; i++) {
    double total = 0.0;
    for (i64 e = X.begin(i); e < X.end(i); e++) total += X.values[e] * X.values[e];
    out[i] = total;
  }
}

// out += Xᵀ right, for right (n, m) and out (D, m).
static void add_transposed_product(Call& call, const Csr<i64>& X, Matrix<const double> right,
                                   Matrix<double> out) {
  const i64 m = right.columns;
  if (!require_csr(call, X) ||
      !require(call, right.rows == X.n() && out.rows == X.n_columns && out.columns == m, "lengths of the factors differ"))
    return;
  for (i64 i = 0; i < right.rows; i++) {
    const double* __restrict row = right[i];
    for (i64 e = X.begin(i); e < X.end(i); e++) {
      const double x = X.values[e];
      double* __restrict into = out[X.columns[e]];
      for (i64 j = 0; j < m; j++) into[j] += x * row[j];
    }
    if (must_stop(call, (X.end(i) - X.begin(i)) * m)) return;
  }
}

// Squared distance of a row to a vector, column by column. O(D).
static double measure_squared_distance(Call& call, const Csr<i64>& X, i64 point,
                                       Vector<const double> center) {
  if (!require_csr(call, X) || !require(call, point >= 0 && point < X.n() && center.n == X.n_columns,
                                        "no such row, or other columns"))
    return 0.0;
  double total = 0.0;
  i64 column = 0;
  for (i64 e = X.begin(point); e < X.end(point); e++) {
    for (; column < X.columns[e]; column++) total += center[column] * center[column];
    const double apart = X.values[e] - center[column++];
    total += apart * apart;
  }
  for (; column < center.n; column++) total += center[column] * center[column];
  return total;
}

KERNELS(sparse_rows) = {
    {"add_rows_to_clusters", run<add_rows_to_clusters>},
    {"fill_row_products", run<fill_row_products>},
    {"fill_rows_of_products", run<fill_rows_of_products>},
    {"add_row_dispersions", run<add_row_dispersions>},
    {"fill_norms", run<fill_norms>},
    {"add_transposed_product", run<add_transposed_product>},
    {"measure_squared_distance", run<measure_squared_distance>},
};
KERNELS_END(sparse_rows)

}  // namespace KG_SET
