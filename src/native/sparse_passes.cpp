// Passes over pairs of sparse rows, whose distances are made on the way and never kept.
#include "sparse_pairs.hpp"

namespace KG_SET {

static double sum_products(const double* value, const double* weights, i64 n) {
  Lanes lanes;
  i64 j = 0;
  for (; j + Lanes::N <= n; j += Lanes::N) lanes.add_product(value + j, weights + j);
  double total = lanes.sum();
  for (; j < n; j++) total = multiply_add(value[j], weights[j], total);
  return total;
}

KG_INLINE void add_scaled(const double* __restrict value, i64 n, double factor,
                          double* __restrict out) {
  for (i64 j = 0; j < n; j++) out[j] += factor * value[j];
}

// Adds all pairs between two tiles to sums[l, i] = Σ_{y ∈ C_l} w_y ρ(i, y), at places i.
//
// Rows are sorted by cluster, of which `clusters` holds the limits. Two equal tiles stand for the
// pairs inside one, each taken once. Nothing but the columns of the two tiles is written, always in
// the same order.
static void add_sparse_tiles(Call& call, const SparseRows& rows, const SparseTiles& tiles,
                             const SparseRule& rule, Vector<const double> weights,
                             Vector<const i64> clusters, i64 first, i64 second,
                             Matrix<double> sums) {
  const i64 k = clusters.n - 1;
  if (!require_tiles(call, rows, rows, tiles) || !require_limits(call, clusters, rows.n()) ||
      !require(call, weights.n == rows.n() && sums.rows == k && sums.columns == rows.n() &&
                         first >= 0 && second >= 0 && first < tiles.n() && second < tiles.n(),
               "add_sparse_tiles: lengths of rows and sums differ"))
    return;
  const i64 base = tiles.edges[second], n = tiles.length(second);
  TileRoom room(call, n);
  if (!room) return;
  const double* value = room.value.data;
  i64 own = 0;
  for (i64 place = tiles.edges[first]; place < tiles.edges[first + 1]; place++) {
    while (clusters[own + 1] <= place) own++;
    const i64 start = first == second ? place + 1 - base : 0;
    find_distances(rows, tiles.order[place], rows, tiles, second, start, n, rule, room);
    add_scaled(value + start, n - start, weights[place], sums[own] + base + start);
    for (i64 cluster = 0; cluster < k; cluster++) {
      const i64 a = larger(clusters[cluster] - base, start);
      const i64 b = smaller(clusters[cluster + 1] - base, n);
      if (a < b) sums[cluster][place] += sum_products(value + a, weights.data + base + a, b - a);
    }
    if (must_stop(call, 4 * n)) return;
  }
}

// Adds the pairs of some new rows and all of the tiles to sums[i, l] = Σ_{y ∈ C_l} w_y ρ(i, y).
//
// The rows of the tiles are sorted by cluster, as in add_sparse_tiles.
static void add_new_sparse_rows(Call& call, const SparseRows& rows,
                                const SparseRows& others, const SparseTiles& tiles,
                                const SparseRule& rule, Vector<const double> weights,
                                Vector<const i64> clusters, i64 first, i64 last,
                                Matrix<double> sums) {
  const i64 k = clusters.n - 1;
  if (!require_tiles(call, rows, others, tiles) || !require_limits(call, clusters, others.n()) ||
      !require(call, weights.n == others.n() && sums.rows == rows.n() && sums.columns == k &&
                         first >= 0 && last <= rows.n(),
               "add_new_sparse_rows: lengths of rows and sums differ"))
    return;
  TileRoom room(call, tiles.longest());
  if (!room) return;
  for (i64 t = 0; t < tiles.n(); t++) {
    const i64 base = tiles.edges[t], n = tiles.length(t);
    for (i64 i = first; i < last; i++) {
      find_distances(rows, i, others, tiles, t, 0, n, rule, room);
      for (i64 cluster = 0; cluster < k; cluster++) {
        const i64 a = larger(clusters[cluster] - base, i64{0});
        const i64 b = smaller(clusters[cluster + 1] - base, n);
        if (a < b)
          sums[i][cluster] +=
              sum_products(room.value.data + a, weights.data + base + a, b - a);
      }
      if (must_stop(call, 4 * n)) return;
    }
  }
}

// Carries out moves of some rows on the columns of one tile, whose rows are in their own order.
//
// G is factor · ρ.
static void apply_sparse_moves(Call& call, const SparseRows& rows, const SparseTiles& tiles,
                               const SparseRule& rule, double factor, Vector<const i64> points,
                               Vector<const double> weights, Vector<const i64> sources,
                               Vector<const i64> targets, Matrix<double> table, i64 t) {
  const i64 n_moves = points.n, k = table.rows;
  if (!require_tiles(call, rows, rows, tiles) ||
      !require(call, weights.n == n_moves && sources.n == n_moves && targets.n == n_moves &&
                         table.columns == rows.n() && t >= 0 && t < tiles.n(),
               "apply_sparse_moves: lengths of moves and sums differ") ||
      !require_below(call, points, rows.n(), "apply_sparse_moves: a row is out of bounds") ||
      !require_below(call, sources, k, "apply_sparse_moves: a cluster is out of bounds") ||
      !require_below(call, targets, k, "apply_sparse_moves: a cluster is out of bounds"))
    return;
  const i64 base = tiles.edges[t], n = tiles.length(t);
  TileRoom room(call, n);
  if (!room) return;
  for (i64 m = 0; m < n_moves; m++) {
    find_distances(rows, points[m], rows, tiles, t, 0, n, rule, room);
    const double w = weights[m] * factor;
    add_scaled(room.value.data, n, -w, table[sources[m]] + base);
    add_scaled(room.value.data, n, w, table[targets[m]] + base);
    if (must_stop(call, 4 * n)) return;
  }
}

KERNELS(sparse_passes) = {
    {"add_sparse_tiles", run<add_sparse_tiles>},
    {"add_new_sparse_rows", run<add_new_sparse_rows>},
    {"apply_sparse_moves", run<apply_sparse_moves>},
};
KERNELS_END(sparse_passes)

}  // namespace KG_SET
