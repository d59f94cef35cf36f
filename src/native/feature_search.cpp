// Whole searches on features: from labels to a one-move optimum, and the nearest of some centroids.
//
// Each block of points remembers the centroids of its last visit. What they have moved since then is
// measured from end to end, which is far less than the sum of all single steps.
#include "distances.hpp"

namespace KG_SET {

// Sweeps after which centroids are made anew.
constexpr i64 RENEW_AFTER = 16;

struct Found {
  i64 n_sweeps, n_moves;
  bool has_ended;
};

struct Search {
  Call& call;
  const Points& P;
  const Means& means;
  Vector<i64> labels;
  const Bounds bounds;
  const i64 n, k, columns, size, n_blocks;
  double heaviest = 0.0;  // largest weight of a point
  Distances distances;
  Scratch<double> then, weight_then;  // (blocks, k, D) and (blocks, k), of the last visits
  Scratch<i64> slot;                  // (size,) where points of the block stand among products
  Scratch<i64> order, first;          // (n,) points by cluster, and (k + 1,) where each begins
  Scratch<double> other, total;       // (D,) a row, and a sum of rows

  Search(Call& to, const Points& points, const Means& centroids, Vector<i64> of_points,
         const Bounds& known, i64 block, double rounding)
      : call(to), P(points), means(centroids), labels(of_points), bounds(known), n(labels.n),
        k(means.weight.n), columns(P.held.rows.columns), size(smaller(block, n)),
        n_blocks((n - 1) / size + 1), distances(to, P.held, fixed(means), size, rounding),
        then(to, n_blocks * k * columns), weight_then(to, n_blocks * k), slot(to, size),
        order(to, n), first(to, k + 1), other(to, columns), total(to, columns) {
    if (call.error != Error::none) return;
    for (i64 i = 0; i < n; i++) heaviest = larger(heaviest, P.weights[i]);
    for (i64 j = 0; j < n_blocks * k * columns; j++) then[j] = 0.0;
    for (i64 j = 0; j < n_blocks * k; j++) weight_then[j] = 0.0;
  }

  // The points of one cluster after those of another, by their numbers.
  void put_in_order() {
    for (i64 c = 0; c <= k; c++) first[c] = 0;
    for (i64 i = 0; i < n; i++) first[labels[i] + 1] += 1;
    for (i64 c = 0; c < k; c++) first[c + 1] += first[c];
    for (i64 i = 0; i < n; i++) order[first[labels[i]]++] = i;
    for (i64 c = k; c > 0; c--) first[c] = first[c - 1];
    first[0] = 0;
  }

  // Weights, members and centroids of the labels, as means of differences to a member of each
  // cluster; the dispersion about them.
  double add_up() {
    put_in_order();
    double dispersion = 0.0;
    for (i64 c = 0; c < k; c++) {
      double s = 0.0;
      i64 members = 0, anchor = -1;
      double* __restrict beyond = means.beyond[c];
      double* __restrict place = means.places[c];
      double* __restrict center = means.centers[c];
      // Without members any row will do.
      P.held.each(0, [=](i64 d, double x) { beyond[d] = 0.0, place[d] = x; });
      for (i64 at = first[c]; at < first[c + 1]; at++) {
        const i64 i = order[at];
        const double w = P.weights[i];
        if (!(w > 0.0)) continue;
        const double* __restrict row = read_row(P.held, i, distances.room.data);
        s += w, members++;
        if (anchor < 0) anchor = i, memcpy(place, row, sizeof(double) * columns);
        for (i64 d = 0; d < columns; d++) beyond[d] += w * (row[d] - place[d]);
      }
      means.weight[c] = s, means.members[c] = members;
      // What others weigh is not added up here, nor is a heaviest member looked for.
      means.anchors[c] = -1, means.rest[c] = 0.0;
      for (i64 d = 0; d < columns; d++) {
        beyond[d] /= s > 0.0 ? s : 1.0;
        const double at = beyond[d] + (place[d] - P.held.mean[d]);
        center[d] = s > 0.0 ? P.held.scale * at : 0.0;
      }
      distances.has_changed(c);
      for (i64 at = first[c]; at < first[c + 1]; at++) {
        const i64 i = order[at];
        if (!(P.weights[i] > 0.0)) continue;
        fill_row(P.held, i, distances.x.data);
        dispersion += P.weights[i] * squared_gap(distances.x.data, center, columns);
      }
      if (must_stop(call, 2 * columns * (1 + first[c + 1] - first[c]))) break;
    }
    return dispersion;
  }

  // What a unit of a point's weight adds to the dispersion of the others in its cluster; of a heavy
  // point from all rows, in O(nD).
  double leave_exactly(i64 point) {
    const i64 cluster = labels[point];
    const double w = P.weights[point], s = means.weight[cluster], heavy = s / (s - w);
    const double* own = read_row(P.held, point, distances.room.data);
    if (!(heavy > HEAVY)) return heavy * exact_distance(P.held, distances.means, cluster, own);
    double others = 0.0, squared = 0.0;
    for (i64 d = 0; d < columns; d++) total[d] = 0.0;
    for (i64 i = 0; i < n; i++) {
      if (labels[i] != cluster) continue;
      if (i != point) others += P.weights[i];
      const double* __restrict row = read_row(P.held, i, other.data);
      for (i64 d = 0; d < columns; d++) total[d] += P.weights[i] * (row[d] - own[d]);
    }
    for (i64 d = 0; d < columns; d++) {
      const double mean = others > 0.0 ? P.held.scale * total[d] / others : 0.0;
      squared += mean * mean;
    }
    return share(others, w) * squared;
  }

  // Brings the bounds of a block to the centroids as they are now, which it remembers.
  //
  // Where √(s_l/(s_l + w)) has become smaller for a cluster, so has what is known of all of them.
  void refresh(i64 block, i64 start, i64 stop) {
    double* __restrict gone = distances.shift.data;
    double ratio = 1.0;
    Farthest farthest;
    for (i64 c = 0; c < k; c++) {
      double* center = &then[(block * k + c) * columns];
      double& weight = weight_then[block * k + c];
      gone[c] = square_root(squared_gap(means.centers[c], center, columns));
      farthest.add(c, gone[c]);
      memcpy(center, means.centers[c], sizeof(double) * columns);
      const double before = share(weight, heaviest), now = share(means.weight[c], heaviest);
      if (now < ratio * before) ratio = now / before;
      weight = means.weight[c];
    }
    ratio = square_root(ratio);
    for (i64 i = start; i < stop; i++) {
      bounds.own[i] += gone[labels[i]] + bounds.slack[i];
      bounds.others[i] =
          ratio * (bounds.others[i] - farthest.of_others(labels[i])) - bounds.slack[i];
    }
    for (i64 c = 0; c < k; c++) gone[c] = 0.0;
  }

  // Products of the points of a block that bounds leave open.
  void screen(i64 start, i64 stop) {
    i64 n_open = 0;
    for (i64 i = start; i < stop; i++) {
      const bool is_open =
          may_leave(distances.means, labels[i], P.weights[i], bounds.own[i], bounds.others[i]);
      slot[i - start] = is_open ? n_open : -1;
      distances.open[n_open] = i;
      n_open += is_open;
    }
    if (n_open >= FEW) return distances.multiply(n_open);
    for (i64 i = start; i < stop; i++) slot[i - start] = -1;
  }

  // Takes the measured point into a cluster, or out of it.
  void move(i64 point, i64 cluster, bool enters) {
    const double w = P.weights[point], *x = distances.x.data;
    const double* row = read_row(P.held, point, distances.room.data);
    const double part = enters ? enter_cluster(means, point, w, row, x, cluster)
                               : leave_cluster(means, point, w, row, x, cluster);
    double& squared = distances.squared[cluster];
    distances.shift[cluster] += (absolute(part) + ROUNDINGS) * square_root(squared);
    squared = (1.0 - part) * (1.0 - part) * squared;
    distances.has_changed(cluster);
  }

  // Visits the points of a block in order; the gain of all moves, which are counted.
  double visit(i64 block, double least, i64& moved) {
    const i64 start = block * size, stop = smaller(start + size, n);
    if (k == 1) return 0.0;  // there is nowhere to go
    refresh(block, start, stop);
    if (distances.has_products) screen(start, stop);
    const double* weights_then = &weight_then[block * k];
    double* shift = distances.shift.data;
    double gone = 0.0;  // the farthest that any centroid has moved in this visit
    // s_l/(s_l + w) now over that at the beginning of the visit, at least; and the reverse.
    double up = 1.0, down = 1.0, gained = 0.0;
    for (i64 i = start; i < stop; i++) {
      i64 source = labels[i];
      const double w = P.weights[i];
      const double own = bounds.own[i] + shift[source], others = bounds.others[i] - gone;
      if (!may_leave(distances.means, source, w, own, others, up)) continue;
      const i64 place = distances.has_products ? slot[i - start] : -1;
      if (distances.stays(place, source, w, weights_then, bounds.own[i], bounds.others[i]))
        continue;
      if (must_stop(call, k * columns)) return gained;
      distances.measure_near(i, place, source, w);
      const Choice best = distances.choose(i, source, w, bounds.slack[i], least,
                                           [&] { return leave_exactly(i); });
      double entry = best.entry;
      if (best.gain > least) {
        const i64 both[] = {source, best.target};
        move(i, source, false);
        move(i, best.target, true);
        labels[i] = best.target;
        moved++;
        gained += best.gain;
        entry = share(means.weight[source], w) * distances.squared[source];
        for (i64 c : both) {
          const double before = share(weights_then[c], heaviest);
          const double now = share(means.weight[c], heaviest);
          if (now < up * before) up = now / before;
          if (before < down * now) down = before / now;
          gone = larger(gone, shift[c]);
        }
        source = best.target;
      }
      // As of the beginning of the visit, which is what the next one measures from.
      bounds.own[i] = square_root(distances.squared[source]) + shift[source];
      bounds.others[i] = square_root(down * smaller(entry, best.next_entry)) - gone;
    }
    return gained;
  }

  // Sweeps until no point moves, or as often as `history` has room, which takes what the dispersion
  // has fallen by. Centroids are made anew now and then, and before the sweep that finds nothing.
  Found run(double tol, Vector<double> history) {
    double dispersion = add_up();
    i64 n_moves = 0, since = 0;
    history[0] = 0.0;
    for (i64 sweep = 1; sweep < history.n; sweep++) {
      i64 moved = 0;
      double gained = 0.0;
      while (true) {
        const double least = tol * dispersion;
        const i64 before = moved;
        for (i64 block = 0; block < n_blocks; block++) {
          const double gain = visit(block, least, moved);
          gained += gain;
          dispersion = gain < dispersion ? dispersion - gain : 0.0;
          if (call.error != Error::none || must_stop(call, size + k * columns)) return {};
        }
        since += moved - before;
        if (since == 0 || (moved > 0 && sweep % RENEW_AFTER > 0)) break;
        dispersion = add_up();  // which may be far less than it was
        since = 0;
        if (moved > 0) break;
      }
      n_moves += moved;
      history[sweep] = history[sweep - 1] + gained;
      if (moved == 0) return {sweep, n_moves, true};
    }
    if (since > 0) add_up();
    return {history.n - 1, n_moves, false};
  }
};

// The one-move optimum from labels. `rounding` is that of products, or 0 where these do not pay.
static Found search_features(Call& call, const Points& points, const Means& means,
                             Vector<i64> labels, const Bounds& bounds, i64 size, double rounding,
                             double tol, Vector<double> history) {
  const i64 n = labels.n;
  if (!require(call, points.fits() && points.weights.n == n && means.fit(points.held.mean.n) &&
                         bounds.fit(n) && n > 0 && size > 0 && history.n > 0,
               "search_features: lengths differ") ||
      !require_below(call, {labels.data, n}, means.weight.n,
                     "search_features: a label is out of bounds"))
    return {};
  Search search(call, points, means, labels, bounds, size, rounding);
  return call.error == Error::none ? search.run(tol, history) : Found{};
}

// The nearest centroid of each point from `start` on, and its squared distance.
static void find_nearest(Call& call, const Held& F, Matrix<const double> centers, i64 start,
                         Vector<i64> labels, Vector<double> squared) {
  const FixedMeans means{{nullptr, centers.rows}, {}, centers, {}, {}, {}, {}};
  if (!require(call, F.fits() && centers.columns == F.rows.columns && start >= 0 &&
                         labels.n <= F.rows.rows - start && squared.n == labels.n &&
                         centers.rows > 0,
               "find_nearest: lengths differ"))
    return;
  Distances distances(call, F, means, 0, 0.0);
  if (call.error != Error::none) return;
  for (i64 i = 0; i < labels.n; i++) {
    distances.measure(start + i);
    i64 nearest = 0;
    for (i64 c = 1; c < centers.rows; c++)
      if (distances.squared[c] < distances.squared[nearest]) nearest = c;
    labels[i] = nearest, squared[i] = distances.squared[nearest];
    if (must_stop(call, centers.rows * centers.columns)) return;
  }
}

KERNELS(feature_search) = {{"search_features", run<search_features>},
                           {"find_nearest", run<find_nearest>}};
KERNELS_END(feature_search)

}  // namespace KG_SET
