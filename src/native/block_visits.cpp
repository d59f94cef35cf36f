// Hartigan's and Lloyd's rule over one block of points, on sums that stay in Python.
#include "hartigan.hpp"

namespace KG_SET {

// argmin_l Q_l/s_l² − (2/s_l) R_l(i) [FRV eq. 44]; the present cluster wins within `least`.
//
// Clusters without weight have no centroid and attract no points.
static i64 nearest(Matrix<const double> sums, i64 column, i64 source, double least,
                   const State& state) {
  double s = state.weight[source];
  i64 best = source;
  double best_cost = state.within[source] / (s * s) - 2.0 / s * sums[source][column];
  best_cost -= least;
  for (i64 target = 0; target < sums.rows; target++) {
    s = state.weight[target];
    if (s <= 0.0 || target == source) continue;
    const double cost = state.within[target] / (s * s) - 2.0 / s * sums[target][column];
    if (cost < best_cost) best = target, best_cost = cost;
  }
  return best;
}

// The cluster that a point wants to move to by each rule; its own if it stays.
static i64 by_gain(Matrix<const double> sums, i64 column, i64 point, double w, double g,
                   double least, const State& state) {
  const i64 source = state.labels[point];
  const Target best = best_target(sums, column, source, w, g, state);
  if (!(best.gain > least)) return source;
  const bool counts = is_sound(sums, column, best.cluster, point, w, g, best.gain - least, state);
  return counts ? best.cluster : source;
}
static i64 by_centroid(Matrix<const double> sums, i64 column, i64 point, double, double,
                       double least, const State& state) {
  return nearest(sums, column, state.labels[point], least, state);
}

struct Reached {
  i64 position, n_moved;
};

// Visits the points of a block in order and moves each that a rule moves.
//
// Updated: sums (k, b) of the block, state, and the record of moves, of which `moved` stand already.
// `piece` is the block's part of G, of which some rows are known: the visit stops at the first point
// that wants to move and whose row is not, to be called again from there. Piece, known and the record
// may be empty, to look for that point only.
//
// By centroids and with a diagonal of zeros in place of G_ii this is Algorithm 1 as printed [FRV],
// whose Q_j drift because lines 12 and 13 omit (𝒲G𝒲)_ii.
template <auto choose>
static Reached visit(Call& call, i64 first, i64 start, Matrix<double> sums,
                     Matrix<const double> piece, Vector<const bool> known,
                     Vector<const double> diagonal, Vector<const double> weights, double least,
                     const State& state, Vector<i64> points, Vector<i64> sources,
                     Vector<i64> targets, i64 moved) {
  const i64 n = sums.columns, k = sums.rows;
  if (!require(call, first >= 0 && n <= weights.n && start <= weights.n - n &&
                         diagonal.n == weights.n && known.n == piece.rows,
               "visit: lengths of the block and its sums differ") ||
      !require(call, known.n == 0 || (known.n == n && piece.columns == n && moved >= 0 &&
                                      points.n - moved >= n - first &&
                                      sources.n == points.n && targets.n == points.n),
               "visit: lengths of the block, its rows and its record differ") ||
      !is_state(call, state, weights.n, k, start, start + n))
    return {};
  for (i64 column = first; column < n; column++) {
    const i64 point = start + column, source = state.labels[point];
    const double w = weights[point];
    if (w == 0.0 || state.members[source] == 1) continue;
    const double g = w * w * diagonal[point];
    const i64 target = choose({sums.data, k, n}, column, point, w, g, least, state);
    if (target == source) continue;
    if (known.n == 0 || !known[column]) return {column, moved};
    points[moved] = point, sources[moved] = source, targets[moved] = target;
    carry_out(sums, piece, column, point, target, w, g, state);
    moved++;
  }
  return {n, moved};
}

// The nearest centroid of each point of a block, and its squared distance; the state stays.
static void assign_nearest(Call& call, i64 start, Matrix<const double> sums,
                           Vector<const double> diagonal, Vector<const double> weights,
                           double least, const State& state, Vector<i64> labels,
                           Vector<double> distances) {
  const i64 n = sums.columns;
  if (!require(call, n <= weights.n && start <= weights.n - n && diagonal.n == weights.n &&
                         labels.n == weights.n && distances.n == weights.n,
               "assign_nearest: lengths differ") ||
      !is_state(call, state, weights.n, sums.rows, start, start + n))
    return;
  // Q_l/s_l² and 2/s_l, the same for all points.
  const i64 k = sums.rows;
  const Scratch<double> height(call, k), slope(call, k);
  if (!height || !slope) return;
  for (i64 j = 0; j < k; j++) {
    const double s = state.weight[j];
    height[j] = state.within[j] / (s * s);
    slope[j] = 2.0 / s;
  }
  for (i64 column = 0; column < n; column++) {
    const i64 point = start + column, source = state.labels[point];
    const auto cost = [&](i64 j) { return height[j] - slope[j] * sums[j][column]; };
    i64 label = source;
    double least_cost = cost(source) - least;
    for (i64 j = 0; j < k && weights[point] > 0.0; j++) {
      if (state.weight[j] <= 0.0 || j == source) continue;
      const double other = cost(j);
      if (other < least_cost) label = j, least_cost = other;
    }
    labels[point] = label;
    distances[point] = diagonal[point];
    if (state.weight[label] > 0.0) distances[point] += cost(label);
  }
}

KERNELS(block_visits) = {{"visit_by_gain", run<visit<by_gain>>},
                         {"visit_by_centroid", run<visit<by_centroid>>},
                         {"assign_nearest", run<assign_nearest>}};
KERNELS_END(block_visits)

}  // namespace KG_SET
