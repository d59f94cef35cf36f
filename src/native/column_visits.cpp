// Hartigan's rule on sums over columns, where bounds decide nearly all visits.
//
// The gain of a move is w [s_j/(s_j − w) d_j² − s_l/(s_l + w) d_l²] with d the distances to
// centroids in feature space, where ρ is a squared distance. So the triangle inequality holds: what
// a visit has found about a point, how far at most it is from its own centroid and how far at least
// from any other, holds later up to the way that centroids have gone since [Hamerly, SDM 2010].
// What this does not decide, chords of the sums over each bin may; the rest is computed in full. No
// move is missed, and none is made that plain arithmetic would not.
//
// Missing entries add terms of both signs, which do not round relative to what they add up to: where
// there are some, every squared distance is taken to be off by the `slack` of the bounds. If ρ is
// that of a space up to ε, squared distances to means are those of that space up to 2ε, so the same
// covers terms that were themselves rounded.
#include "column_sums.hpp"
#include "hartigan.hpp"

namespace KG_SET {

// What is known of the distances of each point to centroids, as they were at some mark.
struct Bounds {
  double rounding;        // in distances, relative to what they are differences of
  double slack;           // what squared distances may be off besides
  Vector<double> upper;   // (n,) at least the distance d to the own centroid
  Vector<double> lower;   // (n,) at most d √(s/(s + w)) to every other one, s its weight
  Vector<Int32> mark;     // (n,) when that was
  Cube<double> marks;     // (marks, 2, k) the way that each centroid had gone by then, and 1/s
  Vector<double> way;     // (k,) the way it has gone now
  Vector<i64> n_marks;    // (1,) marks so far
};

// Moves that the tables do not hold yet, and the rows of their points.
struct Pending {
  Vector<i64> points;
  Vector<double> weights;
  Vector<i64> sources, targets;
  Cube<double> x;     // (panels, L, LANES)
  Cube<Int32> codes;  // (panels, E, LANES)
  Cube<double> gaps;  // (panels, G, LANES)

  Panel panel(i64 i) const { return {x[i], codes[i], gaps[i]}; }
};

// Squared distances to centroids are mean · R + own; that to a centroid without weight is 0.
struct Scales {
  double *__restrict mean, *__restrict own, *__restrict weight;
};

// Whether no other centroid can be nearer, in the sense of the gain, than the own one.
//
// Where another cluster has r times the weight that it had, √(s/(s + w)) is no less than √r times
// what it was, if r < 1, and no less than before otherwise.
KG_INLINE bool stays(const Bounds& bounds, i64 point, double w, const State& state) {
  const i64 source = state.labels[point], k = bounds.way.n;
  const double* before = bounds.marks[bounds.mark[point]][0];
  const double *way = bounds.way.data, *weight = state.weight.data;
  double shift = 0.0, ratio = 1.0;
  for (i64 c = 0; c < k; c++) {
    if (c == source) continue;
    shift = larger(shift, way[c] - before[c]);
    ratio = smaller(ratio, weight[c] * before[k + c]);
  }
  const double near = bounds.upper[point] + (way[source] - before[source]);
  const double far = square_root(ratio) * bounds.lower[point] - shift, s = weight[source];
  const double nearest = near * near * (1.0 + bounds.rounding) + bounds.slack;
  const double farthest = far * far - bounds.slack;
  return far > 0.0 && s > w && s * nearest < (s - w) * farthest;
}

KG_INLINE void set_scales(const State& state, const Scales& scales) {
  for (i64 c = 0; c < state.weight.n; c++) {
    const double s = state.weight[c];
    scales.mean[c] = s > 0.0 ? -2.0 / s : 0.0;
    scales.own[c] = s > 0.0 ? state.within[c] / (s * s) : 0.0;
    scales.weight[c] = s;
  }
}

// Bounds from sums that may be larger by `above`, as of the latest mark.
KG_INLINE void remember(const Bounds& bounds, i64 point, i64 source, double w, const double* sums,
                        double above, const Scales& scales) {
  double least = INFINITE;
  for (i64 c = 0; c < bounds.way.n; c++) {
    const double mean = scales.mean[c] * sums[c], own = scales.own[c], s = scales.weight[c];
    const double slack = bounds.rounding * (absolute(mean) + absolute(own)) + bounds.slack;
    if (c == source) {
      bounds.upper[point] = square_root(larger(0.0, mean + own + slack));
    } else {
      const double squared = mean + own - slack + scales.mean[c] * above;
      least = smaller(least, squared * (s / (s + w)));
    }
  }
  bounds.lower[point] = square_root(larger(0.0, least));
  bounds.mark[point] = static_cast<Int32>(bounds.n_marks[0] - 1);
}

// From now on bounds are as of now.
static bool add_mark(Call& call, const Bounds& bounds, const State& state) {
  const i64 last = bounds.n_marks[0];
  bool is_new = last == 0;
  for (i64 c = 0; !is_new && c < bounds.way.n; c++)
    is_new = bounds.marks[last - 1][0][c] != bounds.way[c];
  if (!is_new) return true;
  if (!require(call, last < bounds.marks.depth, "there is no room for another mark")) return false;
  for (i64 c = 0; c < bounds.way.n; c++) {
    const double s = state.weight[c];
    bounds.marks[last][0][c] = bounds.way[c];
    bounds.marks[last][1][c] = s > 0.0 ? 1.0 / s : 1.0;
  }
  bounds.n_marks[0]++;
  return true;
}

// Lengthens the way of the two centroids that a move shifts.
KG_INLINE void go(const Bounds& bounds, i64 source, i64 target, double w, const double* sums,
                  const State& state) {
  const i64 shifted[2] = {source, target};
  for (const i64 c : shifted) {
    const double s = state.weight[c];
    if (s <= 0.0) continue;  // its centroid was nowhere, and no bound was made then
    const double squared = -2.0 * sums[c] / s + state.within[c] / (s * s) + bounds.slack;
    const double rest = c == source ? s - w : s + w;
    bounds.way[c] += w * square_root(larger(0.0, squared)) / rest;
  }
}

// Adds to rough sums of a point, and writes to `out`, what pending moves change about them.
KG_INLINE void add_late_changes(const Columns& s, const Pending& pending, i64 count, i64 point,
                                i64 k, double* __restrict out, double* __restrict rough) {
  for (i64 c = 0; c < k; c++) out[c] = 0.0;
  for (i64 begin = 0; begin < count; begin += LANES) {
    double alike[LANES];
    find_similarities(s, point, pending.panel(begin / LANES), alike);
    for (i64 m = begin; m < smaller(begin + LANES, count); m++) {
      const double change = pending.weights[m] * alike[m - begin];
      out[pending.sources[m]] -= change;
      out[pending.targets[m]] += change;
    }
  }
  for (i64 c = 0; c < k; c++) rough[c] += out[c];
}

// The part of the gain of a move that its target decides.
KG_INLINE double enter(i64 cluster, double sum, double w, const State& state) {
  const double s = state.weight[cluster];
  const double mean = s > 0.0 ? state.within[cluster] / s : 0.0;
  return (2.0 * w * sum - w * mean) / (s + w);
}

// Writes the own cluster and those that may be the best target, if sums may be larger by `above`;
// how many these are.
KG_INLINE i64 find_candidates(i64 source, const double* sums, double above, const Bounds& bounds,
                              double w, const State& state, Vector<i64> found) {
  const auto off = [&](i64 c) {
    return bounds.rounding * absolute(sums[c]) + bounds.slack * state.weight[c];
  };
  double most = -INFINITE;
  for (i64 c = 0; c < found.n; c++)
    if (c != source) most = larger(most, enter(c, sums[c] - off(c), w, state));
  i64 count = 0;
  found[count++] = source;
  for (i64 c = 0; c < found.n; c++)
    if (c != source && enter(c, sums[c] + above + off(c), w, state) >= most) found[count++] = c;
  return count;
}

// Marks that exist, labels and lengths of points that are visited.
static bool can_visit(Call& call, const Columns& s, const Tables& t, const Bounds& bounds,
                      Vector<const double> weights, const State& state, i64 start, i64 stop,
                      Vector<bool> is_open) {
  const i64 n = s.x.rows, k = t.n_clusters();
  if (!fits_together(call, s, t) ||
      !require(call,
               weights.n == n && is_open.n == n && state.labels.n == n && bounds.upper.n == n &&
                   bounds.lower.n == n && bounds.mark.n == n && bounds.way.n == k &&
                   bounds.marks.rows == 2 && bounds.marks.columns == k && bounds.n_marks.n == 1 &&
                   bounds.n_marks[0] > 0 && bounds.n_marks[0] <= bounds.marks.depth &&
                   state.members.n == k && state.weight.n == k && state.within.n == k &&
                   state.peak.n == k && state.reach.n == k && state.held_back.n == 1 &&
                   0 <= start && start <= stop && stop <= n,
               "lengths of columns, bounds and state differ") ||
      !require_below(call, {state.labels.data + start, stop - start}, k,
                     "a label is out of bounds"))
    return false;
  bool holds = true;
  for (i64 point = start; point < stop; point++)
    holds &= 0 <= bounds.mark[point] && bounds.mark[point] < bounds.n_marks[0];
  return require(call, holds, "a mark is out of bounds");
}

// As `add_mark`; called before points are screened.
static void set_mark(Call& call, const Bounds& bounds, const State& state) {
  const i64 k = bounds.way.n;
  if (require(call,
              bounds.n_marks.n == 1 && bounds.n_marks[0] >= 0 &&
                  bounds.n_marks[0] <= bounds.marks.depth && bounds.marks.rows == 2 &&
                  bounds.marks.columns == k && state.weight.n == k,
              "set_mark: lengths of bounds and state differ"))
    add_mark(call, bounds, state);
}

// Which points from `start` to `stop` may move, by bounds or by chords.
//
// Nothing is pending, and a mark was just set. Updated: bounds of these points, and is_open.
static void screen(Call& call, const Columns& s, const Tables& t, const Bounds& bounds,
                   Vector<const double> weights, const State& state, i64 start, i64 stop,
                   Vector<bool> is_open) {
  if (!can_visit(call, s, t, bounds, weights, state, start, stop, is_open)) return;
  const i64 k = t.n_clusters();
  const Scratch<double> room(call, 5 * k);
  if (!room) return;
  double *part = room.data, *sums = part + k;
  const Scales scales{sums + k, sums + 2 * k, sums + 3 * k};
  set_scales(state, scales);
  for (i64 point = start; point < stop; point++) {
    const double w = weights[point];
    is_open[point] = false;
    if (!(w > 0.0) || stays(bounds, point, w, state)) continue;
    const double above = approximate_point(s, t, point, part, sums);
    remember(bounds, point, state.labels[point], w, sums, above, scales);
    is_open[point] = !stays(bounds, point, w, state);
    if (must_stop(call, k * (s.x.columns + s.codes.columns))) return;
  }
}

// Visits some points in order; the number of moves. Updated: tables, bounds and state.
//
// `is_open` says which of them may move as long as no other does. Moves wait until as many as there
// is room for; a visit in vain counts for `in_vain_as` of them, since where a small cluster has
// moved, bounds decide again only when the tables hold that.
static i64 visit_columns(Call& call, const Columns& s, const Tables& t, const Bounds& bounds,
                         const Pending& pending, Vector<const double> weights, double least,
                         const State& state, i64 start, i64 stop, Vector<bool> is_open,
                         i64 in_vain_as) {
  const i64 k = t.n_clusters(), most = pending.points.n;
  const auto holds_all = [&](i64 depth, i64 lanes) {
    return lanes == LANES && depth * LANES >= most;
  };
  if (!can_visit(call, s, t, bounds, weights, state, start, stop, is_open) ||
      !require(call,
               in_vain_as >= 0 && in_vain_as <= INT32_MAX && most > 0 && pending.weights.n == most &&
                   pending.sources.n == most &&
                   pending.targets.n == most && holds_all(pending.x.depth, pending.x.columns) &&
                   holds_all(pending.codes.depth, pending.codes.columns) &&
                   holds_all(pending.gaps.depth, pending.gaps.columns) &&
                   pending.x.rows == s.x.columns && pending.codes.rows == s.codes.columns &&
                   pending.gaps.rows == s.gaps.columns,
               "visit_columns: the room for moves, or what counts for one, is not that of the columns"))
    return 0;
  const Scratch<double> room(call, 11 * k);
  const Scratch<i64> found(call, k);
  if (!room || !found) return 0;
  double *part = room.data, *rough = part + k, *late = rough + k, *exact = late + k;
  const Matrix<double> sums{exact + k, k, 1};
  const Matrix<const double> fixed{sums.data, k, 1};
  const Scales scales{sums.data + k, sums.data + 2 * k, sums.data + 3 * k};
  const Scales now{scales.weight + k, scales.weight + 2 * k, scales.weight + 3 * k};
  set_scales(state, scales);
  i64 moved = 0, count = 0, in_vain = 0;
  const auto carry_pending = [&] {
    carry_over(s, t, {{pending.points.data, count}, {pending.weights.data, count},
                      {pending.sources.data, count}, {pending.targets.data, count}});
    for (i64 line = 0; line < s.x.columns; line++) sum_across(s, t, line, part);
    count = in_vain = 0;
    return add_mark(call, bounds, state);
  };
  for (i64 point = start; point < stop; point++) {
    const double w = weights[point];
    const i64 source = state.labels[point];
    if (w == 0.0 || state.members[source] == 1) continue;
    if (!is_open[point] && (moved == 0 || stays(bounds, point, w, state))) continue;
    const double above = approximate_point(s, t, point, part, rough);
    if (moved > 0) {
      remember(bounds, point, source, w, rough, above, scales);
      if (stays(bounds, point, w, state)) continue;
    }
    add_late_changes(s, pending, count, point, k, late, rough);
    const i64 n_found =
        find_candidates(source, rough, above, bounds, w, state, {found.data, k});
    sum_point(s, t, point, {found.data, n_found}, part, exact);
    // Exact sums of the clusters that were found, and the most that the others may be.
    for (i64 c = 0; c < k; c++) sums.data[c] = rough[c] + above;
    for (i64 i = 0; i < n_found; i++) sums.data[found[i]] = exact[found[i]] + late[found[i]];
    const Target best = best_target(fixed, 0, source, w, 0.0, state);
    if (best.gain > least &&
        is_sound(fixed, 0, best.cluster, point, w, 0.0, best.gain - least, state)) {
      go(bounds, source, best.cluster, w, sums.data, state);
      transfer(fixed, 0, point, best.cluster, w, 0.0, state);
      bounds.upper[point] = INFINITE;
      pending.points[count] = point, pending.weights[count] = w;
      pending.sources[count] = source, pending.targets[count] = best.cluster;
      put_into(pending.panel(count / LANES), count % LANES, s, point);
      count++, moved++;
    } else {
      set_scales(state, now);
      // Because later weights are compared with these.
      for (i64 c = 0; c < k; c++) now.weight[c] = smaller(now.weight[c], scales.weight[c]);
      remember(bounds, point, source, w, sums.data, 0.0, now);
      in_vain++;
    }
    if (count > 0 && count + in_vain_as * in_vain >= most) {
      if (!carry_pending()) return moved;
      set_scales(state, scales);
    }
    if (must_stop(call, (count + k + 100) * (s.x.columns + s.codes.columns))) return moved;
  }
  if (count) carry_pending();
  return moved;
}

KERNELS(column_visits) = {{"set_mark", run<set_mark>},
                          {"screen", run<screen>},
                          {"visit_columns", run<visit_columns>}};
KERNELS_END(column_visits)

}  // namespace KG_SET
