// Loops over the stored entries of a sparse Gram matrix, and the check of all sparse matrices.
#include "cluster_sums.hpp"

namespace KG_SET {

template <class S, class T>
static void check_csr(Call& call, Vector<const S> starts, Vector<const T> columns,
                      i64 n_columns) {
  require_rows(call, starts, columns, n_columns);
}

// R_l of the points from `start` on, (k, points).
template <class I>
static void fill_sums(Call& call, const Neighbors<I>& of, Vector<const i64> labels,
                      Vector<const double> weights, i64 start, Matrix<double> out) {
  const i64 k = out.rows, n = of.n();
  if (!of.fits(call, k) ||
      !require(call, labels.n == n && weights.n == n && start >= 0 && out.columns <= n - start,
               "fill_sums: lengths of points differ"))
    return;
  Scratch<double> sums(call, k);
  if (!sums) return;
  for (i64 column = 0; column < out.columns; column++) {
    if (!of.fill(start + column, labels, weights, sums.data))
      return call.fail(Error::index, "fill_sums: a label is out of bounds");
    for (i64 cluster = 0; cluster < k; cluster++) out[cluster][column] = sums[cluster];
    if (must_stop(call, of.work(start + column))) return;
  }
}

// R_l of each point for the one cluster that `clusters` names.
template <class I>
static void fill_own_sums(Call& call, const Neighbors<I>& of, Vector<const i64> labels,
                          Vector<const double> weights, Vector<const i64> clusters,
                          Vector<double> out) {
  const i64 n = of.n();
  if (!of.fits(call, of.by_cluster.rows) ||
      !require(call, labels.n == n && weights.n == n && clusters.n == n && out.n == n,
               "fill_own_sums: lengths of points differ") ||
      !require_below(call, clusters, of.by_cluster.rows, "fill_own_sums: no such cluster"))
    return;
  for (i64 point = 0; point < n; point++) {
    const i64 own = clusters[point];
    double total = of.low_rank(point, own);
    for (i64 e = of.S.begin(point); e < of.S.end(point); e++) {
      const i64 other = of.S.columns[e];
      if (labels[other] == own) total += weights[other] * of.S.values[e];
    }
    if (labels[point] == own) total += weights[point] * of.extra[point];
    out[point] = total;
    if (must_stop(call, of.work(point))) return;
  }
}

// max_i Σ_y |w_i w_y (S + diag(extra))_iy|.
template <class I>
static double find_largest_reach(Call& call, const Csr<I>& S, Vector<const double> extra,
                                 Vector<const double> weights) {
  if (!require_csr(call, S) ||
      !require(call, S.n_columns == S.n() && extra.n == S.n() && weights.n == S.n(),
               "find_largest_reach: lengths of points differ"))
    return 0.0;
  double largest = 0.0;
  for (i64 point = 0; point < S.n(); point++) {
    double total = absolute(extra[point]) * weights[point];
    for (i64 e = S.begin(point); e < S.end(point); e++)
      total += absolute(S.values[e]) * weights[S.columns[e]];
    largest = larger(largest, total * weights[point]);
    if (must_stop(call, 1 + S.end(point) - S.begin(point))) break;
  }
  return largest;
}

// out[start:stop] += S[start:stop] @ right.
template <class I>
static void add_product(Call& call, const Csr<I>& S, Matrix<const double> right,
                        Matrix<double> out, i64 start, i64 stop) {
  const i64 m = right.columns;
  if (!require_csr(call, S) ||
      !require(call, right.rows == S.n_columns && out.rows == S.n() && out.columns == m && start >= 0 &&
                         stop <= S.n(),
               "add_product: lengths of the factors differ"))
    return;
  for (i64 row = start; row < stop; row++) {
    add_row_product<16>(S, row, right, 0, out[row]);
    if (must_stop(call, (S.end(row) - S.begin(row)) * m)) return;
  }
}

// Σ_{x ∈ a, y ∈ b} share_x share_y S_xy as a sparse matrix; the number of its entries.
//
// Its entries are no more than those of S.
template <class I>
static i64 contract(Call& call, const Csr<I>& S, Vector<const double> share,
                    Vector<const i64> groups, Vector<I> starts, Vector<I> columns,
                    Vector<double> sums) {
  const i64 n = groups.n, n_groups = starts.n - 1;
  if (!require_csr(call, S) ||
      !require(call, n_groups >= 0 && S.n() == n && S.n_columns == n && share.n == n && columns.n >= S.columns.n &&
                         sums.n >= S.columns.n,
               "contract: lengths of points and entries differ") ||
      !require_below(call, groups, n_groups, "contract: a group is out of bounds"))
    return 0;
  Scratch<i64> first(call, n_groups + 1), place(call, n_groups), members(call, n);
  // Where the entry of a column is in the row that is being made, if it is from `begin` on.
  Scratch<i64> entry_of(call, n_groups);
  if (!first || !place || !members || !entry_of) return 0;
  for (i64 group = 0; group <= n_groups; group++) first[group] = 0;
  for (i64 point = 0; point < n; point++) first[groups[point] + 1]++;
  for (i64 group = 0; group < n_groups; group++) {
    first[group + 1] += first[group];
    place[group] = first[group], entry_of[group] = -1;
  }
  for (i64 point = 0; point < n; point++) members[place[groups[point]]++] = point;
  i64 size = 0;
  starts[0] = 0;
  for (i64 row = 0; row < n_groups; row++) {
    const i64 begin = size;
    for (i64 m = first[row]; m < first[row + 1]; m++) {
      const i64 point = members[m];
      for (i64 e = S.begin(point); e < S.end(point); e++) {
        const i64 other = S.columns[e], column = groups[other];
        const double value = share[point] * share[other] * S.values[e];
        if (entry_of[column] >= begin) {
          sums[entry_of[column]] += value;
          continue;
        }
        entry_of[column] = size;
        columns[size] = static_cast<I>(column), sums[size] = value;
        size++;
      }
      if (must_stop(call, 1 + S.end(point) - S.begin(point))) return 0;
    }
    starts[row + 1] = static_cast<I>(size);
  }
  return size;
}

KERNELS(sparse_gram) = {
    {"check_csr", run<check_csr<int32_t, int32_t>>},
    {"check_csr", run<check_csr<i64, int32_t>>},
    {"check_csr", run<check_csr<i64, i64>>},
    {"fill_sums", run<fill_sums<int32_t>>},
    {"fill_sums", run<fill_sums<i64>>},
    {"fill_own_sums", run<fill_own_sums<int32_t>>},
    {"fill_own_sums", run<fill_own_sums<i64>>},
    {"find_largest_reach", run<find_largest_reach<int32_t>>},
    {"find_largest_reach", run<find_largest_reach<i64>>},
    {"add_product", run<add_product<int32_t>>},
    {"add_product", run<add_product<i64>>},
    {"contract", run<contract<int32_t>>},
    {"contract", run<contract<i64>>},
};
KERNELS_END(sparse_gram)

}  // namespace KG_SET
