// Weighted sums of distances that are made on the way and never kept.
//
// What is added to one number is added in an order that depends on the panels and the chunks only.
#include "pairs.hpp"

namespace KG_SET {

// Sets out[i] to Σ_y w_y ρ(x_i, y) over the points of the panels [first, last).
template <class T>
static void add_group(Call& call, Matrix<const T> x, Cube<const T> panels,
                      Vector<const T> weights, const Rule& rule, i64 chunk, i64 first, i64 last,
                      Vector<double> out) {
  if (!require_rule(call, rule, x.columns) ||
      !require(call, panels.rows == x.columns && panels.columns == LANES && chunk > 0 &&
                         weights.n == panels.depth * LANES && first >= 0 && last <= panels.depth &&
                         out.n == x.rows,
               "add_group: lengths of the rows, the panels and the sums differ"))
    return;
  const Groups<T> groups(call, x);
  if (!groups.last) return;
  chunk = smaller(chunk, panels.depth);
  memset(out.data, 0, sizeof(double) * out.n);
  for (i64 left = first; left < last; left += chunk) {
    const i64 right = smaller(left + chunk, last);
    for (i64 row = 0; row < x.rows; row += GROUP<T>) {
      double sums[GROUP<T>] = {};
      add_group_sums<T, false>(groups.at(row), panels, left, right, weights.data, rule, sums,
                               nullptr, nullptr);
      for (i64 i = row; i < smaller(row + GROUP<T>, x.rows); i++) out[i] += sums[i - row];
      if (must_stop(call, GROUP<T> * (right - left) * LANES * x.columns)) return;
    }
  }
}

// Sums from the points of the panels [start, stop) to those up to `last`, each pair once.
//
// x holds the points of all panels as rows. own[i] gets the sum over the panel that holds point i,
// where both orders of a pair come up, later[i] that over the panels after it.
template <class T>
static void add_later(Call& call, Matrix<const T> x, Cube<const T> panels, Vector<const T> weights,
                      const Rule& rule, i64 chunk, i64 start, i64 stop, i64 last,
                      Vector<double> own, Vector<double> later) {
  if (!require_rule(call, rule, x.columns) ||
      !require(call, panels.rows == x.columns && panels.columns == LANES && chunk > 0 &&
                         weights.n == panels.depth * LANES && x.rows == weights.n && start >= 0 &&
                         start <= stop && stop <= panels.depth && last <= panels.depth && own.n == x.rows &&
                         later.n == x.rows,
               "add_later: lengths of the rows, the panels and the sums differ"))
    return;
  chunk = smaller(chunk, panels.depth);
  for (i64 i = start * LANES; i < stop * LANES; i++) own[i] = later[i] = 0.0;
  for (i64 left = start; left < last; left += chunk) {
    const i64 right = smaller(left + chunk, last);
    for (i64 p = start; p < smaller(stop, right); p++) {
      const i64 begin = larger(left, p + 1);
      for (i64 row = p * LANES; row < (p + 1) * LANES; row += GROUP<T>)
        for (int is_later = left > p; is_later < (begin < right ? 2 : 1); is_later++)
          add_group_sums<T, false>(x[row], panels, is_later ? begin : p, is_later ? right : p + 1,
                                   weights.data, rule, &(is_later ? later : own)[row], nullptr,
                                   nullptr);
      if (must_stop(call, LANES * (right - begin + 1) * LANES * x.columns)) return;
    }
  }
}

// Points by cluster; points of weight zero fill each cluster up to whole panels.
template <class T> struct Sorted {
  Matrix<const T> x;                     // (n_padded, columns)
  Cube<const T> panels;                  // (n_panels, columns, 32)
  Vector<const T> weights;               // (n_padded)
  Vector<const i64> clusters, offsets;   // (n_panels), (k + 1): the panels of each cluster
};

template <class T> static bool require_sorted(Call& call, const Sorted<T>& data, i64 k) {
  const i64 n = data.panels.depth;
  bool holds = data.panels.rows == data.x.columns && data.panels.columns == LANES &&
               data.x.rows == n * LANES && data.weights.n == n * LANES && data.clusters.n == n &&
               data.offsets.n == k + 1;
  for (i64 q = 0; holds && q < n; q++) {
    const i64 c = data.clusters[q];
    holds = c >= 0 && c < k && q < data.offsets[c + 1] && data.offsets[c + 1] <= n;
  }
  return require(call, holds, "add_blocks: points are not in whole panels by cluster");
}

// Adds all pairs between two ranges of panels to table[l][i] = Σ_{y ∈ C_l} w_y ρ(i, y).
//
// Two equal ranges stand for the pairs inside one, each taken once. Nothing but the columns of the
// two ranges is written. The last row of the table is scratch.
template <class T>
static void add_blocks(Call& call, const Sorted<T>& data, const Rule& rule, i64 chunk, i64 first,
                       i64 first_stop, i64 second, i64 second_stop, Matrix<double> table) {
  const i64 n = data.panels.depth, unused = table.rows - 1;
  if (!require_rule(call, rule, data.x.columns) || !require_sorted(call, data, unused) ||
      !require(call, chunk > 0 && first >= 0 && first_stop <= n && second >= 0 &&
                         second_stop <= n && table.columns == n * LANES,
               "add_blocks: lengths of the points and the table differ"))
    return;
  chunk = smaller(chunk, n);
  const bool is_inside = first == second;
  for (i64 left = second; left < second_stop; left += chunk) {
    const i64 right = smaller(left + chunk, second_stop);
    for (i64 p = first; p < (is_inside ? smaller(first_stop, right) : first_stop); p++) {
      const i64 own = data.clusters[p];
      for (i64 row = p * LANES; row < (p + 1) * LANES; row += GROUP<T>)
        for (i64 q = is_inside ? larger(left, p) : left; q < right;) {
          // The panel that holds the rows themselves: both orders of each pair come up.
          const bool is_itself = is_inside && q == p;
          const i64 other = data.clusters[q];
          const i64 stop = is_itself ? q + 1 : smaller(right, data.offsets[other + 1]);
          add_group_sums<T, true>(data.x[row], data.panels, q, stop, data.weights.data, rule,
                                  table[other] + row, data.weights.data + row,
                                  table[is_itself ? unused : own]);
          q = stop;
        }
      if (must_stop(call, (right - left) * LANES * LANES * data.x.columns)) return;
    }
  }
}

KERNELS(pair_sums) = {
    {"add_group", run<add_group<float>>},
    {"add_group", run<add_group<double>>},
    {"add_later", run<add_later<float>>},
    {"add_later", run<add_later<double>>},
    {"add_blocks", run<add_blocks<float>>},
    {"add_blocks", run<add_blocks<double>>},
};
KERNELS_END(pair_sums)

}  // namespace KG_SET
