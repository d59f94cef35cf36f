// Hartigan's rule over one block of points, on sums that stay in Python.
#include "hartigan.hpp"
#include "kernel.hpp"

namespace KG_SET {

struct Reached {
  i64 position, n_moved;
};

// Visits the points of a block in order and moves each that gains more than `least`.
//
// Updated: sums (k, b) of the block, state, and the record of moves, of which `moved` stand already.
// `piece` is the block's part of G, of which some rows are known: the visit stops at the first point
// that wants to move and whose row is not, to be called again from there.
static Reached visit(Call& call, i64 first, i64 start, Matrix<double> sums,
                     Matrix<const double> piece, Vector<const bool> known,
                     Vector<const double> diagonal, Vector<const double> weights, double least,
                     const State& state, Vector<i64> points, Vector<i64> sources,
                     Vector<i64> targets, i64 moved) {
  const i64 n = sums.columns, k = sums.rows;
  if (!require(call, first >= 0 && start >= 0 && start + n <= weights.n &&
                   diagonal.n == weights.n && state.labels.n == weights.n &&
                   piece.rows == n && piece.columns == n && known.n == n &&
                   state.weight.n == k && moved >= 0 && points.n - moved >= n - first,
               "visit: lengths of the block, its sums and its state differ") ||
      !require_below(call, {state.labels.data + start, n}, k, "visit: a label is out of bounds"))
    return {};
  for (i64 column = first; column < n; column++) {
    const i64 point = start + column, source = state.labels[point];
    const double w = weights[point];
    if (w == 0.0 || state.members[source] == 1) continue;
    const double g = w * w * diagonal[point];
    const Matrix<const double> fixed{sums.data, k, n};
    const Target best = best_target(fixed, column, source, w, g, state);
    if (!(best.gain > least)) continue;
    if (!is_sound(fixed, column, best.cluster, point, w, g, best.gain - least, state)) continue;
    if (!known[column]) return {column, moved};
    points[moved] = point, sources[moved] = source, targets[moved] = best.cluster;
    carry_out(sums, piece, column, point, best.cluster, w, g, state);
    moved++;
  }
  return {n, moved};
}

KERNELS(block_visits) = {{"visit", run<visit>}};
KERNELS_END(block_visits)

}  // namespace KG_SET
