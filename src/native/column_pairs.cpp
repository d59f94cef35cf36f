// Sums of distances over pairs of points, split by column.
#include "kernel.hpp"
#include "phi.hpp"

namespace KG_SET {

// Points that are compared with a row at once: a few vectors long, and short enough for the parts of
// many columns to stay in the caches.
constexpr i64 TILE = 128;

// Sets out[j] to δ between x and the points of a piece of a column.
static void fill_part(double x, const double* __restrict column, i64 n, i64 delta,
                      double* __restrict out) {
  switch (delta) {
    case SQUARED:
      for (i64 j = 0; j < n; j++) out[j] = (x - column[j]) * (x - column[j]);
      break;
    case ABSOLUTE:
      for (i64 j = 0; j < n; j++) out[j] = absolute(x - column[j]);
      break;
    case MISMATCH:
      for (i64 j = 0; j < n; j++) out[j] = x != column[j];
      break;
    default:
      for (i64 j = 0; j < n; j += DOUBLES)
        store<double>(out + j, add_shannon(Doubles{}, x, column + j));
  }
}

// Adds the distances φ(Σ_d δ_d) between the rows [first, last) and all later points, each split in
// proportion to the δ_d, to `within` and `across` (k, D); group l is [starts[l], starts[l + 1]).
static void add_column_pairs(Call& call, Matrix<const double> columns,
                             Vector<const double> weights, Vector<const i64> starts, i64 delta,
                             i64 phi, double parameter, i64 first, i64 last, Matrix<double> within,
                             Matrix<double> across) {
  const i64 n = columns.columns, n_columns = columns.rows, k = starts.n - 1;
  bool rises = k > 0 && starts[0] == 0 && starts[k] == n;
  for (i64 l = 0; rises && l < k; l++) rises = starts[l] <= starts[l + 1];
  if (!require(call, rises && weights.n == n && first >= 0 && last <= n && within.rows == k &&
                         across.rows == k && within.columns == n_columns &&
                         across.columns == n_columns,
               "add_column_pairs: lengths of the points, the groups and the sums differ"))
    return;
  const Scratch<double> parts(call, n_columns * TILE);
  if (!parts) return;
  double piece[TILE], total[TILE], share[TILE];
  i64 own = 0;
  for (i64 i = first; i < last; i++) {
    while (starts[own + 1] <= i) own++;
    for (i64 group = own; group < k; group++)
      for (i64 a = larger(i + 1, starts[group]); a < starts[group + 1]; a += TILE) {
        // Zeros fill up the lanes of the last vectors.
        const i64 size = smaller(TILE, starts[group + 1] - a), filled = (size + 7) / 8 * 8;
        memset(total, 0, sizeof total);
        memset(piece, 0, sizeof piece);
        for (i64 d = 0; d < n_columns; d++) {
          double* __restrict part = &parts[d * TILE];
          memcpy(piece, columns[d] + a, sizeof(double) * size);
          fill_part(columns[d][i], piece, filled, delta, part);
          for (i64 j = size; j < filled; j++) part[j] = 0.0;
          for (i64 j = 0; j < filled; j++) total[j] += part[j];
        }
        memcpy(share, total, sizeof share);
        transform(share, filled, phi, parameter);
        for (i64 j = 0; j < size; j++)
          share[j] = total[j] > 0.0 ? weights[a + j] * share[j] / total[j] : 0.0;
        for (i64 j = size; j < filled; j++) share[j] = 0.0;
        for (i64 d = 0; d < n_columns; d++) {
          Lanes product;
          for (i64 j = 0; j < filled; j += Lanes::N)
            product.add_product(share + j, &parts[d * TILE + j]);
          const double value = weights[i] * product.sum();
          if (group == own) {
            within[own][d] += value;
          } else {
            across[own][d] += value;
            across[group][d] += value;
          }
        }
      }
    if (must_stop(call, (n - i) * n_columns)) return;
  }
}

KERNELS(column_pairs) = {{"add_column_pairs", run<add_column_pairs>}};
KERNELS_END(column_pairs)

}  // namespace KG_SET
