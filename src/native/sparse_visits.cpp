// Sums of sparse rows by cluster, and Hartigan's rule where those of a point are made of its row.
#include "cluster_sums.hpp"

namespace KG_SET {

// vectors[:, l] += Σ_{y ∈ C_l} w_y y. O(nnz).
static void add_rows_to_clusters(Call& call, const RowSums& of, Vector<const i64> labels,
                                 Vector<const double> weights) {
  if (!of.fits(call, of.vectors.columns) ||
      !require(call, labels.n == of.n() && weights.n == of.n(), "lengths of rows differ") ||
      !require_below(call, labels, of.vectors.columns, "a label is out of bounds"))
    return;
  for (i64 i = 0; i < labels.n; i++) {
    if (weights[i] != 0.0) of.add(i, labels[i], weights[i]);
    if (must_stop(call, 1 + of.X.end(i) - of.X.begin(i))) return;
  }
}

// Visits all points in order; the number of moves. Updated: the sums of clusters, and state.
template <class Sums>
static i64 visit_points(Call& call, const Sums& of, Vector<const double> diagonal,
                        Vector<const double> weights, double least, const State& state) {
  const i64 n = of.n(), k = state.weight.n;
  if (!of.fits(call, k) || !is_state(call, state, n, k, 0, n) ||
      !require(call, weights.n == n && diagonal.n == n, "visit_points: lengths of points differ"))
    return 0;
  Scratch<double> room(call, k);
  if (!room) return 0;
  const Matrix<const double> sums{room.data, k, 1};
  i64 moved = 0;
  for (i64 point = 0; point < n; point++) {
    const i64 source = state.labels[point];
    const double w = weights[point];
    if (w == 0.0 || state.members[source] == 1) continue;
    const double g = w * w * diagonal[point];
    of.fill(point, {state.labels.data, n}, weights, room.data);
    if (must_stop(call, of.work(point))) return moved;
    const Target best = best_target(sums, 0, source, w, g, state);
    if (!(best.gain > least)) continue;
    if (!is_sound(sums, 0, best.cluster, point, w, g, best.gain - least, state)) continue;
    transfer(sums, 0, point, best.cluster, w, g, state);
    of.move(point, source, best.cluster, w);
    moved++;
  }
  return moved;
}

KERNELS(sparse_visits) = {
    {"add_rows_to_clusters", run<add_rows_to_clusters>},
    {"visit_points", run<visit_points<Neighbors>>},
    {"visit_points", run<visit_points<RowSums>>},
};
KERNELS_END(sparse_visits)

}  // namespace KG_SET
