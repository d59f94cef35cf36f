// Loops over the stored entries of a sparse Gram matrix, and the check of all sparse matrices.
#include "cluster_sums.hpp"

namespace KG_SET {

template <class T>
static void check_csr(Call& call, Vector<const i64> starts, Vector<const T> columns,
                      i64 n_columns) {
  require_rows(call, starts, columns, n_columns);
}

// R_l of the points from `start` on, (k, points).
static void fill_sums(Call& call, const Neighbors& of, Vector<const i64> labels,
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
static void fill_own_sums(Call& call, const Neighbors& of, Vector<const i64> labels,
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
static double find_largest_reach(Call& call, const Csr& S, Vector<const double> extra,
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

// out += S[start : start + rows of out] @ right.
static void add_product(Call& call, const Csr& S, Matrix<const double> right, i64 start,
                        Matrix<double> out) {
  const i64 m = right.columns;
  if (!require_csr(call, S) ||
      !require(call,
               right.rows == S.n_columns && out.columns == m && start >= 0 &&
                   out.rows <= S.n() - start,
               "add_product: lengths of the factors differ"))
    return;
  for (i64 row = 0; row < out.rows; row++) {
    add_row_product<16>(S, start + row, right, 0, out[row]);
    if (must_stop(call, (S.end(start + row) - S.begin(start + row)) * m)) return;
  }
}

// Σ_{x ∈ a, y ∈ b} share_x share_y S_xy as a sparse matrix; the number of its entries.
//
// Its entries are no more than those of S.
static i64 contract(Call& call, const Csr& S, Vector<const double> share,
                    Vector<const i64> groups, Vector<i64> starts,
                    Vector<int32_t> columns, Vector<double> sums) {
  const i64 n = groups.n, n_groups = starts.n - 1;
  if (!require_csr(call, S) ||
      !require(call, n_groups >= 0 && S.n() == n && S.n_columns == n && share.n == n && columns.n >= S.columns.n &&
                         sums.n >= S.columns.n,
               "contract: lengths of points and entries differ") ||
      !require_below(call, groups, n_groups, "contract: a group is out of bounds"))
    return 0;
  Scratch<i64> first(call, n_groups + 1), members(call, n);
  // Where the entry of a column is in the row that is being made, if it is from `begin` on.
  Scratch<i64> entry_of(call, n_groups);
  if (!first || !members || !entry_of) return 0;
  for (i64 group = 0; group <= n_groups; group++) first[group] = 0;
  for (i64 point = 0; point < n; point++) first[groups[point] + 1]++;
  for (i64 group = 0; group < n_groups; group++) {
    first[group + 1] += first[group];
    entry_of[group] = first[group];
  }
  for (i64 point = 0; point < n; point++) members[entry_of[groups[point]]++] = point;
  for (i64 group = 0; group < n_groups; group++) entry_of[group] = -1;
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
        columns[size] = static_cast<int32_t>(column), sums[size] = value;
        size++;
      }
      if (must_stop(call, 1 + S.end(point) - S.begin(point))) return 0;
    }
    starts[row + 1] = size;
  }
  return size;
}

KERNELS(sparse_gram) = {{"check_csr", run<check_csr<int32_t>>},
                        {"check_csr", run<check_csr<i64>>},
                        {"fill_sums", run<fill_sums>},
                        {"fill_own_sums", run<fill_own_sums>},
                        {"find_largest_reach", run<find_largest_reach>},
                        {"add_product", run<add_product>},
                        {"contract", run<contract>}};
KERNELS_END(sparse_gram)

}  // namespace KG_SET
