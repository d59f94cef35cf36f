// Hartigan's rule where the sums of a point are made of its row, and a move has no table to change.
#include "cluster_sums.hpp"

namespace KG_SET {

// Visits all points in order; the number of moves. Updated: the sums of clusters, and state.
template <class Sums>
static i64 visit_points(Call& call, const Sums& of, Vector<const double> diagonal,
                        Vector<const double> weights, double least, const State& state) {
  const i64 n = of.n(), k = state.weight.n;
  if (!of.fits(call, k) ||
      !require(call, weights.n == n && diagonal.n == n && state.labels.n == n &&
                         state.members.n == k && state.within.n == k && state.peak.n == k &&
                         state.reach.n == k && state.held_back.n == 1,
               "visit_points: lengths of points, clusters and their state differ") ||
      !require_below(call, {state.labels.data, n}, k, "visit_points: a label is out of bounds"))
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
    {"visit_points", run<visit_points<Neighbors<int32_t>>>},
    {"visit_points", run<visit_points<Neighbors<i64>>>},
    {"visit_points", run<visit_points<RowSums>>},
};
KERNELS_END(sparse_visits)

}  // namespace KG_SET
