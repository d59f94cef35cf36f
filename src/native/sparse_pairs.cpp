// Tiles of sparse rows, and distances between rows and those of tiles.
#include "sparse_pairs.hpp"

namespace KG_SET {

// Puts the columns of a tile, which rise, and the limits of their entries into a table.
static void fill_table(Call& call, Vector<const i64> columns, Vector<const i64> limits,
                       i64 n_columns, Vector<i64> keys, Vector<int32_t> first,
                       Vector<int32_t> last) {
  const i64 n_slots = keys.n;
  const bool is_hashed = n_slots < n_columns;
  if (!require(call, limits.n == columns.n + 1 && first.n == n_slots && last.n == n_slots &&
                         columns.n <= n_slots - is_hashed &&
                         !(is_hashed && (n_slots & (n_slots - 1))),
               "fill_table: lengths of columns and slots differ"))
    return;
  for (i64& key : keys) key = -1;
  for (i64 c = 0, last_column = -1; c < columns.n; c++) {
    const i64 column = columns[c];
    if (!require(call, column > last_column && column < n_columns && limits[c] >= 0 &&
                           limits[c + 1] <= INT32_MAX,
                 "fill_table: a column or its entries are out of bounds"))
      return;
    last_column = column;
    i64 slot = find_first_slot(column, n_slots, n_columns);
    while (keys[slot] >= 0) slot = (slot + 1) & (n_slots - 1);
    keys[slot] = columns[c];
    first[slot] = static_cast<int32_t>(limits[c]);
    last[slot] = static_cast<int32_t>(limits[c + 1]);
  }
}

// That no walk through tiles of some rows leaves an array; later calls compare lengths only.
static void check_tiles(Call& call, const SparseRows& rows, const SparseTiles& tiles) {
  if (!require_tiles(call, rows, rows, tiles) || !require_limits(call, tiles.edges, rows.n()) ||
      !require_limits(call, tiles.tables, tiles.keys.n) ||
      !require_limits(call, tiles.starts, tiles.places.n) ||
      !require_below(call, tiles.order, rows.n(), "a row of a tile is out of bounds"))
    return;
  for (i64 t = 0; t < tiles.n(); t++) {
    const i64 n_slots = tiles.tables[t + 1] - tiles.tables[t];
    const i64 n_entries = tiles.starts[t + 1] - tiles.starts[t];
    const bool is_hashed = n_slots < rows.n_columns;
    i64 n_free = 0;
    u16 most = 0;
    bool holds = !is_hashed || (n_slots > 0 && !(n_slots & (n_slots - 1)));
    for (i64 s = tiles.tables[t]; s < tiles.tables[t + 1]; s++) {
      n_free += tiles.keys[s] < 0;
      holds &= tiles.first[s] >= 0 && tiles.last[s] <= n_entries;
    }
    for (i64 p = tiles.starts[t]; p < tiles.starts[t + 1]; p++)
      most = larger(most, tiles.places[p]);
    holds &= n_entries == 0 || most < tiles.length(t);
    if (!require(call, holds && (n_free > 0 || !is_hashed),
                 "a table of the columns of a tile is damaged"))
      return;
  }
}

// Sets out[i, j] to factor · ρ of row index[i] and the row at place left + j, up to right.
static void fill_sparse_pairs(Call& call, const SparseRows& rows, Vector<const i64> index,
                              const SparseRows& others, const SparseTiles& tiles,
                              const SparseRule& rule, double factor, Matrix<double> out,
                              i64 first_row, i64 last_row, i64 left, i64 right) {
  if (!require_tiles(call, rows, others, tiles) ||
      !require(call, left >= 0 && right <= others.n() && out.columns == right - left &&
                         out.rows == index.n && first_row >= 0 && last_row <= index.n,
               "fill_sparse_pairs: no such rows or places") ||
      !require_below(call, index, rows.n(), "fill_sparse_pairs: a row is out of bounds"))
    return;
  TileRoom room(call, tiles.longest());
  if (!room) return;
  for (i64 t = 0; t < tiles.n(); t++) {
    const i64 base = tiles.edges[t];
    const i64 start = larger(left - base, i64{0}), stop = smaller(right, tiles.edges[t + 1]) - base;
    for (i64 i = first_row; start < stop && i < last_row; i++) {
      find_distances(rows, index[i], others, tiles, t, start, stop, rule, room);
      double* __restrict into = out[i] + base - left;
      const double* __restrict value = room.value.data;
      for (i64 j = start; j < stop; j++) into[j] = factor * value[j];
      if (must_stop(call, 4 * tiles.length(t))) return;
    }
  }
}

KERNELS(sparse_pairs) = {
    {"fill_table", run<fill_table>},
    {"check_tiles", run<check_tiles>},
    {"fill_sparse_pairs", run<fill_sparse_pairs>},
};
KERNELS_END(sparse_pairs)

}  // namespace KG_SET
