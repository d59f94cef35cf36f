// Sums of distances between sparse rows, split by column.
#include "sparse_pairs.hpp"

namespace KG_SET {

// Splits the pairs of some rows with all others, up to what single rows say.
//
// With f = w_x w_y ρ(x, y)/Σ_e δ_e, sums[x, l] is Σ_{y ∈ C_l} f; and from the columns that x and y
// share, Σ f (δ_d(x, 0) + δ_d(y, 0) − δ_d(x, y)) is added to within[l, d], in which a pair counts
// once from either end, and to across[l, d] for x in C_l and y outside.
static void add_split_pairs(Call& call, const SparseRows& rows, const SparseTiles& tiles,
                            const SparseRule& rule, Vector<const double> weights,
                            Vector<const i64> groups, i64 first, i64 last, Matrix<double> sums,
                            Matrix<double> within, Matrix<double> across) {
  const i64 k = groups.n - 1;
  if (!require_tiles(call, rows, rows, tiles) || !require_limits(call, groups, rows.n()) ||
      !require(call, weights.n == rows.n() && first >= 0 && last <= rows.n() &&
                         sums.rows == rows.n() && sums.columns == k && within.rows == k &&
                         across.rows == k && within.columns == rows.n_columns &&
                         across.columns == rows.n_columns,
               "add_split_pairs: lengths of rows and sums differ"))
    return;
  TileRoom room(call, tiles.longest());
  Scratch<double> f(call, tiles.longest() + 8);
  if (!room || !f) return;
  const SparseRule plain{rule.delta, POWER, 1.0};
  const double* total = room.value.data;
  i64 own = 0;
  for (i64 place = first; place < last; place++) {
    while (groups[own + 1] <= place) own++;
    const i64 i = tiles.order[place];
    const double w = weights[place];
    for (i64 t = 0; t < tiles.n(); t++) {
      const i64 base = tiles.edges[t], n = tiles.length(t);
      find_distances(rows, i, rows, tiles, t, 0, n, plain, room);
      memcpy(f.data, total, sizeof(double) * n);
      apply_phi(f.data, n, rule);
      for (i64 j = 0; j < n; j++)
        f[j] = total[j] > 0.0 ? w * weights[base + j] * f[j] / total[j] : 0.0;
      for (i64 group = 0; group < k; group++) {
        const i64 stop = smaller(groups[group + 1] - base, n);
        for (i64 j = larger(groups[group] - base, i64{0}); j < stop; j++)
          sums[place][group] += f[j];
      }
      const i64 a = groups[own] - base, b = groups[own + 1] - base;
      visit_shared(rows, i, tiles, t, [&](i64 column, double x, i64 begin, i64 end) {
        double inside = 0.0, outside = 0.0;
        const double alone = measure(x, rule.delta);
        for (i64 p = begin; p < end; p++) {
          const double y = tiles.values[p];
          const i64 j = tiles.places[p];
          const double off = alone + measure(y, rule.delta) - measure(x - y, rule.delta);
          (a <= j && j < b ? inside : outside) += f[j] * off;
        }
        within[own][column] += inside;
        across[own][column] += outside;
      });
      if (must_stop(call, 8 * n)) return;
    }
  }
}

// Adds Σ w_x w_y φ(δ_d) to within[l, d] and across[l, d] for each of some columns by itself.
//
// A column is the numbers that are not 0, [starts[d], starts[d + 1]), and zeros in all other rows.
static void add_single_columns(Call& call, Vector<const i64> starts, Vector<const i64> places,
                               Vector<const double> values, Vector<const i64> group,
                               Vector<const double> weights, Vector<const double> totals,
                               const SparseRule& rule, i64 first, i64 last, Matrix<double> within,
                               Matrix<double> across) {
  const i64 k = totals.n;
  if (!require_rows(call, starts, places, group.n) ||
      !require(call, values.n == places.n && weights.n == group.n && first >= 0 &&
                         last < starts.n && within.rows == k && across.rows == k &&
                         within.columns == starts.n - 1 && across.columns == starts.n - 1,
               "add_single_columns: lengths of columns and sums differ") ||
      !require_below(call, group, k, "add_single_columns: a group is out of bounds"))
    return;
  i64 longest = 0;
  for (i64 d = first; d < last; d++) longest = larger(longest, starts[d + 1] - starts[d]);
  Scratch<double> zeros(call, k), value(call, longest + 8);
  if (!zeros || !value) return;
  for (i64 d = first; d < last; d++) {
    const i64 begin = starts[d], end = starts[d + 1];
    const auto add = [&](i64 own, i64 other, double part) {
      if (other == own) {
        within[own][d] += part;
      } else {
        across[own][d] += part;
        across[other][d] += part;
      }
    };
    for (i64 l = 0; l < k; l++) zeros[l] = totals[l];
    for (i64 e = begin; e < end; e++) zeros[group[places[e]]] -= weights[places[e]];
    for (i64 e = begin; e < end; e++) {
      // Of this number with those behind it, and in the last place with a zero.
      const i64 n = end - e, own = group[places[e]];
      const double x = values[e], w = weights[places[e]];
      for (i64 j = 0; j < n - 1; j++) value[j] = measure(x - values[e + 1 + j], rule.delta);
      value[n - 1] = measure(x, rule.delta);
      apply_phi(value.data, n, rule);
      for (i64 j = 0; j < n - 1; j++) {
        const i64 other = places[e + 1 + j];
        add(own, group[other], w * weights[other] * value[j]);
      }
      for (i64 l = 0; l < k; l++) add(own, l, w * larger(zeros[l], 0.0) * value[n - 1]);
      if (must_stop(call, 8 * n)) return;
    }
  }
}

KERNELS(sparse_column_sums) = {
    {"add_split_pairs", run<add_split_pairs>},
    {"add_single_columns", run<add_single_columns>},
};
KERNELS_END(sparse_column_sums)

}  // namespace KG_SET
