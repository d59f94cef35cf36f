// What one row of a sparse matrix says of all sums R_l = Σ_{y ∈ C_l} w_y G(x, y) of a point.
#pragma once
#include "csr.hpp"
#include "hartigan.hpp"

namespace KG_SET {

// G = S + diag(extra) + Σ_r c_r u_r u_rᵀ, and Σ_{y ∈ C_l} w_y u_r(y) by cluster.
struct Neighbors {
  Csr S;
  Vector<const double> extra;     // (n,)
  Matrix<const double> columns;   // (n, rank) u
  Vector<const double> signs;     // (rank,) c
  Matrix<double> by_cluster;      // (k, rank)

  i64 n() const { return S.n(); }
  i64 work(i64 point) const {
    return S.end(point) - S.begin(point) + by_cluster.rows * (1 + signs.n);
  }
  bool fits(Call& call, i64 k) const {
    return require_csr(call, S) &&
           require(call,
                   S.n_columns == n() && extra.n == n() && columns.rows == n() &&
                       columns.columns == signs.n && by_cluster.rows == k &&
                       by_cluster.columns == signs.n,
                   "lengths of a sparse operator and its sums differ");
  }
  // Of the columns: Σ_r c_r u_r(point) Σ_{y ∈ C_l} w_y u_r(y).
  KG_INLINE double low_rank(i64 point, i64 cluster) const {
    double total = 0.0;
    for (i64 r = 0; r < signs.n; r++)
      total += columns[point][r] * signs[r] * by_cluster[cluster][r];
    return total;
  }
  // O(degree + k rank). False if a label is not below k.
  KG_INLINE bool fill(i64 point, Vector<const i64> labels, Vector<const double> weights,
                      double* out) const {
    const i64 k = by_cluster.rows, end = S.end(point);
    const int32_t* __restrict others = S.columns.data;
    const double* __restrict values = S.values.data;
    bool is_below = static_cast<u64>(labels[point]) < static_cast<u64>(k);
    if (!is_below) return false;
    for (i64 cluster = 0; cluster < k; cluster++) out[cluster] = low_rank(point, cluster);
    for (i64 e = S.begin(point); e < end; e++) {
      const i64 other = others[e], cluster = labels[other];
      if (static_cast<u64>(cluster) >= static_cast<u64>(k)) return false;
      out[cluster] += weights[other] * values[e];
    }
    out[labels[point]] += weights[point] * extra[point];
    return true;
  }
  KG_INLINE void move(i64 point, i64 source, i64 target, double w) const {
    for (i64 r = 0; r < signs.n; r++) {
      const double change = w * columns[point][r];
      by_cluster[source][r] -= change;
      by_cluster[target][r] += change;
    }
  }
};

// Rows, and the sum of those of each cluster: R_l is a product with it.
struct RowSums {
  Csr X;
  Matrix<double> vectors;  // (columns, k) Σ_{y ∈ C_l} w_y y

  i64 n() const { return X.n(); }
  i64 work(i64 point) const { return (1 + X.end(point) - X.begin(point)) * vectors.columns; }
  bool fits(Call& call, i64 k) const {
    return require_csr(call, X) &&
           require(call, vectors.rows == X.n_columns && vectors.columns == k,
                   "sums of rows are of other columns or clusters");
  }
  KG_INLINE void fill(i64 point, Vector<const i64>, Vector<const double>,
                      double* __restrict out) const {
    const i64 k = vectors.columns;
    for (i64 cluster = 0; cluster < k; cluster++) out[cluster] = 0.0;
    add_row_product<16>(X, point, {vectors.data, vectors.rows, k}, 0, out);
  }
  KG_INLINE void add(i64 point, i64 cluster, double w) const {
    for (i64 e = X.begin(point); e < X.end(point); e++)
      vectors[X.columns[e]][cluster] += w * X.values[e];
  }
  KG_INLINE void move(i64 point, i64 source, i64 target, double w) const {
    add(point, source, -w);
    add(point, target, w);
  }
};

}  // namespace KG_SET
