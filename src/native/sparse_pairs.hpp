// Distances between sparse rows: what two rows share, from entries sorted by column.
//
// The distance of two rows is that of rows without a common column, less what the common columns
// take off: ‖x‖² + ‖y‖² − 2xᵀy, or ‖x‖₁ + ‖y‖₁ − Σ (|x_d| + |y_d| − |x_d − y_d|), or the same with
// numbers of entries. The entries of some rows, a tile, are kept column by column. A row is compared
// with all rows of a tile by walking its own entries, and nothing is done for columns that it lacks.
#pragma once
#include "csr.hpp"
#include "phi.hpp"

namespace KG_SET {

// ρ = φ(Σ_d δ(x_d, y_d)) by the codes of δ and φ.
struct SparseRule {
  i64 delta, phi;
  double parameter;
};

// Rows with rising columns and without zeros. Python has called check_csr once.
struct SparseRows {
  Vector<const i64> starts;  // (n + 1,)
  Vector<const i64> columns;
  Vector<const double> values;
  Vector<const double> sizes;  // (n,) Σ_d δ(x_d, 0)
  i64 n_columns;

  i64 n() const { return sizes.n; }
};

// Rows in some order, cut into tiles, in each of which entries are sorted by column. Python has
// called check_tiles once.
struct SparseTiles {
  Vector<const i64> order;     // (n,) the row at each place
  Vector<const i64> edges;     // (tiles + 1,) the places of each tile
  Vector<const double> sizes;  // (n,) of the row at each place
  // Where the columns of each tile are: slots of a table by column, with its entries' limits.
  Vector<const i64> tables;  // (tiles + 1,)
  Vector<const i64> starts;  // (tiles + 1,) the entries of each tile
  Vector<const i64> keys;      // (slots,) the column, or −1
  Vector<const int32_t> first, last;  // (slots,) from the first of the tile
  Vector<const u16> places;           // (entries,) from the first of the tile
  Vector<const double> values;        // (entries,)

  i64 n() const { return edges.n - 1; }
  i64 length(i64 t) const { return edges[t + 1] - edges[t]; }
  i64 longest() const {
    i64 most = 0;
    for (i64 t = 0; t < n(); t++) most = larger(most, length(t));
    return most;
  }
};

// Where a column is looked for first: at its own number if there are as many slots.
KG_INLINE i64 find_first_slot(i64 column, i64 n_slots, i64 n_columns) {
  // Multiplicative hashing: a prime near 2³² over the golden ratio, and the lowest bits left out.
  constexpr i64 prime = 2654435761, shift = 15, low = (i64{1} << 31) - 1;
  if (n_slots >= n_columns) return column;
  return (((column ^ (column >> 31)) & low) * prime >> shift) & (n_slots - 1);
}

inline bool require_sparse_rows(Call& call, const SparseRows& rows) {
  return require(call,
                 has_entries(rows.starts, rows.columns.n, rows.values.n) &&
                     rows.starts.n == rows.n() + 1,
                 "lengths of sparse rows differ");
}

// That lengths are those of tiles that hold all of some rows.
inline bool require_tiles(Call& call, const SparseRows& rows, const SparseRows& others,
                          const SparseTiles& tiles) {
  const i64 n = tiles.n();
  return require_sparse_rows(call, rows) && require_sparse_rows(call, others) &&
         require(call,
                 n >= 0 && tiles.tables.n == n + 1 && tiles.starts.n == n + 1 &&
                     tiles.edges[n] == others.n() && tiles.order.n == others.n() &&
                     tiles.sizes.n == others.n() && tiles.keys.n == tiles.tables[n] &&
                     tiles.first.n == tiles.keys.n && tiles.last.n == tiles.keys.n &&
                     tiles.places.n == tiles.starts[n] && tiles.values.n == tiles.places.n &&
                     rows.n_columns == others.n_columns,
                 "lengths of sparse rows and their tiles differ");
}

// Where groups of rows that are sorted by group begin and end among n places.
inline bool require_limits(Call& call, Vector<const i64> limits, i64 n) {
  bool holds = limits.n > 0 && limits[0] == 0 && limits[limits.n - 1] == n;
  for (i64 group = 1; group < limits.n; group++) holds &= limits[group - 1] <= limits[group];
  return require(call, holds, "limits of groups do not rise from 0 to the number of rows");
}

// Calls visit(x, y at p, place of p, column) … for each column of row i that a tile has: its entry,
// and the limits of the entries of the tile.
template <class F>
KG_INLINE void visit_shared(const SparseRows& rows, i64 i, const SparseTiles& tiles, i64 t,
                            F visit) {
  const i64 base = tiles.tables[t], n_slots = tiles.tables[t + 1] - base;
  const i64* __restrict keys = tiles.keys.data + base;
  for (i64 e = rows.starts[i]; e < rows.starts[i + 1]; e++) {
    const i64 column = rows.columns[e];
    i64 slot = find_first_slot(column, n_slots, rows.n_columns);
    while (keys[slot] >= 0 && keys[slot] != column) slot = (slot + 1) & (n_slots - 1);
    if (keys[slot] < 0) continue;
    visit(column, rows.values[e], tiles.starts[t] + tiles.first[base + slot],
          tiles.starts[t] + tiles.last[base + slot]);
  }
}

// Adds to shared[j] what the columns of row i and of row j of a tile take off, once each.
static void add_shared(const SparseRows& rows, i64 i, const SparseTiles& tiles, i64 t,
                       i64 delta, double* __restrict shared) {
  const u16* __restrict places = tiles.places.data;
  const double* __restrict values = tiles.values.data;
  visit_shared(rows, i, tiles, t, [=](i64, double x, i64 begin, i64 end) {
    if (delta == SQUARED) {
      const double twice = 2.0 * x;
      for (i64 p = begin; p < end; p++) shared[places[p]] += twice * values[p];
    } else if (delta == ABSOLUTE) {
      for (i64 p = begin; p < end; p++) {
        const double y = values[p], least = smaller(absolute(x), absolute(y));
        shared[places[p]] += (x > 0.0) == (y > 0.0) ? 2.0 * least : 0.0;
      }
    } else {
      for (i64 p = begin; p < end; p++) shared[places[p]] += x == values[p] ? 2.0 : 1.0;
    }
  });
}

// δ of two numbers by their difference.
KG_INLINE double measure(double apart, i64 delta) {
  if (delta == SQUARED) return apart * apart;
  return delta == ABSOLUTE ? absolute(apart) : apart != 0.0 ? 1.0 : 0.0;
}

// Σ_d δ of two rows over the union of their columns, so that nothing cancels.
static double merge(const SparseRows& rows, i64 i, const SparseRows& others, i64 j,
                    i64 delta) {
  double total = 0.0;
  i64 p = rows.starts[i], q = others.starts[j];
  const i64 p_stop = rows.starts[i + 1], q_stop = others.starts[j + 1];
  while (p < p_stop || q < q_stop) {
    double apart;
    if (q == q_stop || (p < p_stop && rows.columns[p] < others.columns[q])) {
      apart = rows.values[p++];
    } else if (p == p_stop || others.columns[q] < rows.columns[p]) {
      apart = others.values[q++];
    } else {
      apart = rows.values[p++] - others.values[q++];
    }
    total += measure(apart, delta);
  }
  return total;
}

// Replaces each of n sums t by φ(t), powers that cost square roots only by these. What follows the
// sums up to a multiple of eight is overwritten.
static inline void apply_phi(double* sums, i64 n, const SparseRule& rule) {
  const i64 filled = (n + 7) & ~i64{7};
  const double power = rule.phi == POWER ? rule.parameter : 0.0;
  if (power == 1.0) return;
  for (i64 j = n; j < filled; j++) sums[j] = 0.0;
  if (power == 0.25) {
    replace_each(sums, filled, [](Doubles t) { return square_root(square_root(t)); });
  } else if (power == 0.75) {
    replace_each(sums, filled, [](Doubles t) {
      const Doubles root = square_root(t);
      return root * square_root(root);
    });
  } else {
    transform(sums, filled, rule.phi, rule.parameter);
  }
}

// Room for what one row has to do with each row of a tile.
struct TileRoom {
  Scratch<double> shared, value;
  explicit TileRoom(Call& call, i64 longest) : shared(call, longest), value(call, longest + 8) {
    for (i64 j = 0; shared && j < longest; j++) shared[j] = 0.0;
  }
  explicit operator bool() const { return shared && value; }
};

// Sets value[j] of the room to ρ of row i and the row at place j of a tile, for j from start to stop.
static void find_distances(const SparseRows& rows, i64 i, const SparseRows& others,
                           const SparseTiles& tiles, i64 t, i64 start, i64 stop,
                           const SparseRule& rule, const TileRoom& room) {
  // Below this share of ‖x‖² + ‖y‖² too few digits of the difference are left: rows are merged.
  constexpr double canceled = 1e-6;
  double* __restrict shared = room.shared.data;
  double* __restrict value = room.value.data;
  const double size = rows.sizes[i];
  const double* __restrict sizes = tiles.sizes.data + tiles.edges[t];
  add_shared(rows, i, tiles, t, rule.delta, shared);
  i64 n_canceled = 0;
  for (i64 j = start; j < stop; j++) {
    const double both = size + sizes[j];
    value[j] = both - shared[j];
    n_canceled += value[j] < canceled * both;
  }
  memset(shared, 0, sizeof(double) * tiles.length(t));
  for (i64 j = start; n_canceled > 0 && j < stop; j++)
    if (value[j] < canceled * (size + sizes[j]))
      value[j] = merge(rows, i, others, tiles.order[tiles.edges[t] + j], rule.delta);
  apply_phi(value + start, stop - start, rule);
}

}  // namespace KG_SET
