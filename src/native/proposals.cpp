// Moves that points of a block propose against means that stand still, and how they are made.
//
// What a block proposes depends on its own rows, labels and bounds, and on means that nobody changes
// meanwhile; so blocks may be looked at in any order, anywhere. Proposals are then carried out one
// after the other, each only if it still gains with the means as they are by then.
#include "distances.hpp"

namespace KG_SET {

// Some points in order, and what is known of them.
template <class Label> struct Block {
  i64 first;             // the number of the first of them
  Vector<Label> labels;  // (m,)
  Bounds bounds;

  bool fits(i64 n) const {
    return labels.n == n && bounds.fit(n) && first >= 0 && first <= INT64_MAX - n;
  }
};

// Moves that gain, and the bounds of their points where they are made.
template <class Real, class Integer> struct Proposals {
  Vector<Integer> rows;  // (p,) from the first of the block
  Vector<Integer> targets;
  Vector<Real> own, others;
};

// What some points add up to, about the places of anchors.
struct Added {
  Vector<double> weight;  // (k,)
  Vector<i64> members;    // (k,) points with positive weight
  Vector<double> rest;    // (k,) the weight without that of the anchor
  Matrix<double> beyond;  // (k, D) Σ w (x − place), in the unit of rows
  Vector<double> spread;  // (k,) Σ w ‖x − place‖²
};

// The first of the heaviest points of each cluster so far.
static void find_heaviest(Call& call, Vector<const double> weights, Vector<const i64> labels,
                          Vector<i64> anchors, Vector<double> heaviest) {
  if (!require(call, weights.n == labels.n && anchors.n == heaviest.n,
               "find_heaviest: lengths differ") ||
      !require_below(call, labels, anchors.n, "find_heaviest: a label is out of bounds"))
    return;
  for (i64 i = 0; i < labels.n; i++)
    if (weights[i] > heaviest[labels[i]]) heaviest[labels[i]] = weights[i], anchors[labels[i]] = i;
}

// Adds up some points.
static void add_block(Call& call, const Points& P, i64 first, Vector<const i64> labels,
                      Vector<const i64> anchors, Matrix<const double> places, const Added& sums) {
  const i64 k = anchors.n, columns = P.held.rows.columns;
  Scratch<double> room(call, columns);
  if (!room ||
      !require(call, P.fits() && labels.n == P.weights.n && first >= 0 &&
                         first <= INT64_MAX - labels.n && places.rows == k &&
                         places.columns == columns && sums.weight.n == k && sums.members.n == k &&
                         sums.rest.n == k && sums.beyond.rows == k &&
                         sums.beyond.columns == columns && sums.spread.n == k,
               "add_block: lengths differ") ||
      !require_below(call, labels, k, "add_block: a label is out of bounds"))
    return;
  for (i64 i = 0; i < labels.n; i++) {
    const i64 cluster = labels[i];
    const double w = P.weights[i];
    if (!(w > 0.0)) continue;
    sums.weight[cluster] += w;
    count(sums.members[cluster], 1);
    if (first + i != anchors[cluster]) sums.rest[cluster] += w;
    const double* __restrict row = read_row(P.held, i, room.data);
    const double* __restrict place = places[cluster];
    double* __restrict beyond = sums.beyond[cluster];
    for (i64 d = 0; d < columns; d++) beyond[d] += w * (row[d] - place[d]);
    sums.spread[cluster] += w * squared_gap(row, place, columns);
    if (must_stop(call, columns)) return;
  }
}

// Bounds after centroids have gone so far; how many points they leave open, and which.
//
// `ratio` is how much smaller √(s_l/(s_l + w)) has become at most.
static i64 renew_bounds(Call& call, Vector<const double> weights, const FixedMeans& means,
                        const Block<const i64>& block, Vector<const double> gone, double ratio,
                        Vector<i64> still_open) {
  const i64 n = weights.n, k = means.weight.n;
  const Bounds& bounds = block.bounds;
  if (!require(call, block.fits(n) && still_open.n == n && gone.n == k &&
                         means.members.n == k,
               "renew_bounds: lengths differ") ||
      !require_below(call, block.labels, k, "renew_bounds: a label is out of bounds"))
    return 0;
  Farthest farthest;
  for (i64 c = 0; c < k; c++) farthest.add(c, gone[c]);
  i64 n_open = 0;
  for (i64 i = 0; i < n; i++) {
    const i64 source = block.labels[i];
    const double own = bounds.own[i] + (gone[source] + bounds.slack[i]);
    const double others =
        ratio * (bounds.others[i] - farthest.of_others(source)) - bounds.slack[i];
    bounds.own[i] = own, bounds.others[i] = others;
    still_open[n_open] = i;
    n_open += may_leave(means, source, weights[i], own, others);
  }
  return n_open;
}

// How many of the open points propose a move that gains more than `least`.
//
// `rounding` is that of products, or 0 where these do not pay. Time: O(kD) for each open point.
static i64 propose(Call& call, const Points& P, const FixedMeans& means,
                   const Block<const i64>& block, Vector<const i64> still_open, double least,
                   double rounding, const Proposals<double, i64>& out) {
  const i64 n = P.weights.n, p = still_open.n;
  if (!require(call, P.fits() && means.fit(P.held.rows.columns) && block.fits(n) &&
                         out.rows.n >= p && out.targets.n >= p && out.own.n >= p &&
                         out.others.n >= p,
               "propose: lengths differ") ||
      !require_below(call, block.labels, means.weight.n, "propose: a label is out of bounds") ||
      !require_below(call, still_open, n, "propose: a row is out of bounds"))
    return 0;
  // Points whose products with all centroids are taken at once.
  constexpr i64 at_once = 512;
  const i64 size = smaller(at_once, p);
  Distances distances(call, P.held, means, size, rounding);
  if (call.error != Error::none) return 0;
  const Bounds& bounds = block.bounds;
  i64 n_found = 0;
  for (i64 start = 0; start < p; start += size) {
    const i64 n_open = smaller(size, p - start);
    const bool has_products = distances.has_products && n_open >= FEW;
    for (i64 slot = 0; slot < n_open; slot++) distances.open[slot] = still_open[start + slot];
    if (has_products) distances.multiply(n_open);
    for (i64 at = 0; at < n_open; at++) {
      const i64 i = distances.open[at], source = block.labels[i], slot = has_products ? at : -1;
      const double w = P.weights[i];
      if (distances.stays(slot, source, w, means.weight.data, bounds.own[i], bounds.others[i]))
        continue;
      if (must_stop(call, distances.k * distances.columns)) return n_found;
      distances.measure_near(i, slot, source, w);
      const auto leave_exactly = [&] {
        const double* row = read_row(P.held, i, distances.room.data);
        const double rest = rest_of(means, block.first + i, source, w);
        return (rest + w) / rest * exact_distance(P.held, means, source, row);
      };
      const Choice best = distances.choose(i, source, w, bounds.slack[i], least, leave_exactly);
      const Scratch<double>& squared = distances.squared;
      bounds.own[i] = square_root(squared[source]);
      bounds.others[i] = square_root(smaller(best.entry, best.next_entry));
      if (!(best.gain > least)) continue;
      const double back = share(means.weight[source], w) * squared[source];
      out.rows[n_found] = i, out.targets[n_found] = best.target;
      out.own[n_found] = square_root(squared[best.target]);
      out.others[n_found] = square_root(smaller(best.next_entry, back));
      n_found++;
    }
  }
  return n_found;
}

struct Made {
  i64 n_moves;
  double gained;
};

// Makes the moves that gain more than `least`, in order; how many, and the gain so far.
//
// P holds the points of the proposals only. Time: O(D) each.
static Made carry_out(Call& call, const Points& P, const Means& means, const Block<i64>& block,
                      const Proposals<const double, const i64>& moves, double least,
                      double gained) {
  const i64 k = means.weight.n, n = block.labels.n, p = moves.rows.n, columns = P.held.rows.columns;
  const Bounds& bounds = block.bounds;
  Scratch<double> x(call, columns), room(call, columns);
  if (!x || !room ||
      !require(call, P.fits() && means.fit(columns) && block.fits(n) && P.weights.n == p &&
                         moves.targets.n == p && moves.own.n == p && moves.others.n == p,
               "carry_out: lengths differ") ||
      !require_below(call, {block.labels.data, n}, k, "carry_out: a label is out of bounds") ||
      !require_below(call, moves.rows, n, "carry_out: a row is out of bounds") ||
      !require_below(call, moves.targets, k, "carry_out: a target is out of bounds"))
    return {};
  i64 n_moves = 0;
  for (i64 j = 0; j < p; j++) {
    const i64 i = moves.rows[j], target = moves.targets[j], number = block.first + i;
    const i64 source = block.labels[i];
    const double w = P.weights[j], s = means.weight[source];
    if (means.members[source] == 1 || s <= w) continue;
    fill_row(P.held, j, x.data);
    const double near = squared_gap(x.data, means.centers[source], columns);
    const double far = squared_gap(x.data, means.centers[target], columns);
    const double heavy = s / (s - w), part = share(means.weight[target], w), entry = part * far;
    double gain = w * (heavy * near - entry);
    const double noise = noise_of(bounds.slack[i], heavy, near, far, entry);
    if (w * noise > least && absolute(gain - least) <= w * noise) {
      const double* row = read_row(P.held, j, room.data);
      const double rest = rest_of(means, number, source, w);
      const double leave = (rest + w) / rest * exact_distance(P.held, fixed(means), source, row);
      gain = w * (leave - part * exact_distance(P.held, fixed(means), target, row));
    }
    if (gain > least) {
      const double* row = read_row(P.held, j, room.data);
      leave_cluster(means, number, w, row, x.data, source);
      enter_cluster(means, number, w, row, x.data, target);
      block.labels[i] = target;
      bounds.own[i] = moves.own[j], bounds.others[i] = moves.others[j];
      n_moves++;
      gained += gain;
    }
    if (must_stop(call, 4 * columns)) break;
  }
  return {n_moves, gained};
}

KERNELS(proposals) = {{"find_heaviest", run<find_heaviest>}, {"renew_bounds", run<renew_bounds>},
                      {"add_block", run<add_block>}, {"propose", run<propose>},
                      {"carry_out", run<carry_out>}};
KERNELS_END(proposals)

}  // namespace KG_SET
