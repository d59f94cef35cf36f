// Hartigan's rule on distances to centroids, for points that move at once and for those that propose.
//
// In features the gain of a move is w [s_j/(s_j − w) d_j² − s_l/(s_l + w) d_l²] with d the Euclidean
// distances to the centroids. They are computed by differences, so that nothing cancels. Two bounds a
// point, on the distance to its own centroid and on the smallest √(s_l/(s_l + w)) d_l, say of most
// points in most sweeps that they stay; centroids that move by δ change no distance by more than δ
// [Hamerly, SDM 2010]. No move is missed, and none is made that plain arithmetic would not make.
//
// Where points have many columns, a matrix product in float32 bounds the distances of many points to
// all centroids in a fraction of the time of differences, and its rounding is known: a sum of D
// products is off by at most D roundings of the product of both norms, in whatever order it is made
// [Higham, Accuracy and Stability of Numerical Algorithms, section 3.1]. Only points and centroids
// that such bounds leave in doubt are measured.
#pragma once
#include "blas.hpp"
#include "held_rows.hpp"

namespace KG_SET {

// Costs that differ by a smaller share are equal: of equal ones the first cluster is taken.
constexpr double TIE = 0x1p-40;
// A point of so many times the weight of the others in its cluster is nearly its centroid. There is
// no more than one in a cluster.
constexpr double HEAVY = 64.0;
// The share by which a cost exceeds another one that it is surely above.
constexpr double SURELY = 0x1p-30;
// Roundings of a distance, relative to the numbers that it is a difference of, counted generously.
constexpr double ROUNDINGS = 0x1p-48;
// Fewer points than this are measured without products.
constexpr i64 FEW = 8;
// Squared norms between which no product of numbers in float32 overflows, and what underflows is far
// below the rounding of their sum.
constexpr double LEAST_NORM = 0x1p-60, MOST_NORM = 0x1p60;

struct Points {
  Held held;
  Vector<const double> weights;  // (n,)
  bool fits() const { return held.fits() && weights.n == held.rows.rows; }
};

// The centroids, each measured from a row of its cluster, so that clusters that are small and far
// from the mean of all keep their digits.
template <class Real, class Integer> struct MeansOf {
  Vector<Real> weight;      // (k,)
  Vector<Integer> members;  // (k,) points with positive weight
  Matrix<Real> centers;     // (k, D)
  Vector<Integer> anchors;  // (k,) the number of a heaviest member, -1 without one or once it left
  Vector<Real> rest;        // (k,) the weight of all others, while the anchor is a member
  Matrix<Real> places;      // (k, D) where anchors are, in the unit of rows
  Matrix<Real> beyond;      // (k, D) centroids less these places

  bool fit(i64 columns) const {
    const i64 k = weight.n;
    return members.n == k && centers.rows == k && centers.columns == columns && anchors.n == k &&
           rest.n == k && places.rows == k && places.columns == columns && beyond.rows == k &&
           beyond.columns == columns;
  }
};
using Means = MeansOf<double, i64>;
using FixedMeans = MeansOf<const double, const i64>;
KG_INLINE FixedMeans fixed(const Means& means) { return __builtin_bit_cast(FixedMeans, means); }

// What is known of the distances of points without computing them.
struct Bounds {
  Vector<double> own;           // at least the distance to the own centroid
  Vector<double> others;        // at most the smallest √(s_l/(s_l + w)) d_l of the other clusters
  Vector<const double> slack;   // rounding of distances to centroids near the point
  bool fit(i64 n) const { return own.n == n && others.n == n && slack.n == n; }
};

// s/(s + w): what a squared distance to a centroid counts for a point that enters.
KG_INLINE double share(double s, double w) { return s > 0.0 ? s / (s + w) : 0.0; }

// The weight of a cluster without a point, less what may be its rounding.
KG_INLINE double least_rest(double s, double w) { return s * (1.0 - ROUNDINGS) - w; }

// Whether a point may leave, as far as its cluster and bounds go, of which those on others may be
// smaller by the root of `up`.
KG_INLINE bool may_leave(const FixedMeans& means, i64 source, double w, double own, double others,
                         double up = 1.0) {
  const double s = means.weight[source];
  if (w == 0.0 || means.members[source] == 1 || s <= w) return false;
  return !(others > 0.0 && s * own * own <= least_rest(s, w) * up * others * others);
}

// A squared distance, at least, once a centroid has gone so far.
KG_INLINE double nearer(double squared, double gone) {
  if (gone == 0.0) return squared;
  const double near = square_root(squared) - gone;
  return near > 0.0 ? near * near : 0.0;
}

// The largest and the second largest number, and where the largest is.
struct Farthest {
  i64 cluster = 0;
  double most = -1.0, second = 0.0;
  KG_INLINE void add(i64 c, double gone) {
    if (gone > most) second = most > 0.0 ? most : 0.0, cluster = c, most = gone;
    else if (gone > second) second = gone;
  }
  // How far any other centroid than this has gone at most.
  KG_INLINE double of_others(i64 c) const { return c == cluster ? second : most; }
};

// Rounding of what a unit of weight gains, by squared distances to its two centroids.
//
// Of a heavy point both the distance to its centroid and the weight of the rest are rounded.
KG_INLINE double noise_of(double slack, double heavy, double near, double far, double entry) {
  slack += ROUNDINGS * (square_root(near) + square_root(far));
  const double noise = heavy * ((square_root(near) + slack) * slack + ROUNDINGS * heavy * near);
  return noise + (square_root(entry) + slack) * slack;
}

// Squared distance to a centroid by the row that it is near, so that few digits cancel.
inline double exact_distance(const Held& F, const FixedMeans& means, i64 cluster,
                             const double* row) {
  const double *place = means.places[cluster], *beyond = means.beyond[cluster];
  double total = 0.0;
  for (i64 d = 0; d < F.rows.columns; d++) {
    const double gap = F.scale * (row[d] - place[d] - beyond[d]);
    total += gap * gap;
  }
  return total;
}

// The weight of a cluster without a member.
//
// Of one that is nearly all of it the difference has no digits, and what is added up is taken.
template <class M> KG_INLINE double rest_of(const M& means, i64 number, i64 source, double w) {
  const bool is_anchor = number == means.anchors[source] && means.rest[source] > 0.0;
  return is_anchor ? means.rest[source] : means.weight[source] - w;
}

// Takes a point, with its row and its features x, out of its cluster; by what share centroids go.
[[maybe_unused]] KG_APART double leave_cluster(const Means& means, i64 number, double w,
                                               const double* __restrict row,
                                               const double* __restrict x, i64 cluster) {
  const double rest = rest_of(means, number, cluster, w), part = w / rest;
  double* __restrict center = means.centers[cluster];
  double* __restrict beyond = means.beyond[cluster];
  const double* __restrict place = means.places[cluster];
  for (i64 d = 0, n = means.centers.columns; d < n; d++) {
    center[d] -= part * (x[d] - center[d]);
    beyond[d] -= part * (row[d] - place[d] - beyond[d]);
  }
  means.weight[cluster] = rest;
  count(means.members[cluster], -1);
  if (number == means.anchors[cluster]) means.anchors[cluster] = -1;
  else means.rest[cluster] -= w;
  return -part;
}

// Takes a point into a cluster, whose anchor it becomes if it is nearly all of it.
[[maybe_unused]] KG_APART double enter_cluster(const Means& means, i64 number, double w,
                                               const double* __restrict row,
                                               const double* __restrict x, i64 cluster) {
  const double s = means.weight[cluster], part = w / (s + w);
  const bool is_new = means.members[cluster] == 0 || w > HEAVY * s;
  double* __restrict center = means.centers[cluster];
  double* __restrict beyond = means.beyond[cluster];
  double* __restrict place = means.places[cluster];
  for (i64 d = 0, n = means.centers.columns; d < n; d++) center[d] += part * (x[d] - center[d]);
  if (is_new) {
    for (i64 d = 0, n = means.centers.columns; d < n; d++) {
      beyond[d] = s / (s + w) * (beyond[d] - (row[d] - place[d]));
      place[d] = row[d];
    }
    means.anchors[cluster] = number, means.rest[cluster] = s;
  } else {
    for (i64 d = 0, n = means.centers.columns; d < n; d++)
      beyond[d] += part * (row[d] - place[d] - beyond[d]);
    means.rest[cluster] += w;
  }
  means.weight[cluster] = s + w;
  count(means.members[cluster], 1);
  return part;
}

// What is best for a point: the gain of the best target, what a unit of its weight costs there and
// in the next best cluster.
struct Choice {
  i64 target;
  double gain, entry, next_entry;
};

// Distances of single points to all centroids, where products leave them in doubt.
//
// Where products do not pay, centroids are held one column after another, for loops over clusters in
// vectors.
struct Distances {
  const Held& F;
  const FixedMeans means;
  const bool has_products;  // points have so many columns that products pay
  const i64 k, columns, stride;
  const double rounding;     // of a product, relative to half the sum of both squared norms
  Scratch<double> x, room;   // (D,) the features of a point, and its row
  Scratch<double> squared;   // (k,) its squared distances to the centroids
  Scratch<double> shift;     // (k,) how far centroids have gone since products were made
  Scratch<double> across;    // (D, stride) centroids by columns
  Scratch<i64> open;         // (size,) points that bounds leave open
  Scratch<float> features;   // (size, D) of these
  Scratch<float> single;     // (k, D) centroids
  Scratch<float> products;   // (size, k)
  Scratch<double> of_points; // (size,) squared norms
  Scratch<double> of_means;  // (k,)

  // Without an error of products none are used.
  Distances(Call& call, const Held& held, const FixedMeans& centroids, i64 size, double error)
      : F(held), means(centroids), has_products(error > 0.0), k(centroids.weight.n),
        columns(held.rows.columns), stride((k + Lanes::N - 1) / Lanes::N * Lanes::N),
        rounding(error), x(call, columns), room(call, columns), squared(call, stride),
        shift(call, k), across(call, has_products ? 0 : columns * stride), open(call, size),
        features(call, has_products ? size * columns : 0),
        single(call, has_products ? k * columns : 0), products(call, has_products ? size * k : 0),
        of_points(call, has_products ? size : 0), of_means(call, has_products ? k : 0) {
    if (call.error != Error::none) return;
    for (i64 c = 0; c < k; c++) shift[c] = 0.0;
    for (i64 j = 0; !has_products && j < columns * stride; j++) across[j] = 0.0;
    for (i64 c = 0; c < k; c++) has_changed(c);
  }

  // A centroid is another one.
  KG_INLINE void has_changed(i64 cluster) {
    const double* center = means.centers[cluster];
    for (i64 d = 0; !has_products && d < columns; d++) across[d * stride + cluster] = center[d];
  }

  KG_INLINE double gap(i64 cluster) const {
    return squared_gap(x.data, means.centers[cluster], columns);
  }

  // Squared distances from a point to all centroids.
  KG_INLINE void measure(i64 i) {
    fill_row(F, i, x.data);
    if (has_products) {
      for (i64 c = 0; c < k; c++) squared[c] = gap(c);
      return;
    }
    constexpr int size = Simd<double>::N;
    const double* __restrict features_of_point = x.data;
    for (i64 c = 0; c < stride; c += Lanes::N) {
      const double* __restrict column = across.data + c;
      Lanes sums;
      for (i64 d = 0; d < columns; d++, column += stride)
        KG_UNROLL for (int p = 0; p < Lanes::PARTS; p++) {
          const Wide apart = features_of_point[d] - load<double>(column + p * size);
          sums.part[p] = sums.part[p] + apart * apart;
        }
      memcpy(squared.data + c, sums.part, sizeof sums.part);
    }
  }

  // Squared distances to a point's own centroid and to all that may be better, of which `slot` is
  // the place among the products, or -1; for others lower bounds.
  KG_INLINE void measure_near(i64 i, i64 slot, i64 source, double w) {
    if (slot < 0) return measure(i);
    for (i64 c = 0; c < k; c++) squared[c] = at_least(slot, c);
    fill_row(F, i, x.data);
    squared[source] = gap(source);
    const double s = means.weight[source];
    const double leave = s / (s - w) * squared[source] * (1.0 + SURELY);
    for (i64 c = 0; c < k; c++)
      if (c != source && share(means.weight[c], w) * squared[c] <= leave) squared[c] = gap(c);
  }

  // Products of the open points with all centroids.
  void multiply(i64 n_open) {
    for (i64 slot = 0; slot < n_open; slot++) {
      float* some = &features[slot * columns];
      fill_row(F, open[slot], some);
      of_points[slot] = squared_norm(some, columns);
    }
    for (i64 c = 0; c < k; c++) {
      const double* center = means.centers[c];
      for (i64 d = 0; d < columns; d++) single[c * columns + d] = static_cast<float>(center[d]);
      of_means[c] = sum_squares(columns, [=]<class V>(i64 d) { return take<V>(center + d); });
      shift[c] = 0.0;
    }
    kg::multiply(features.data, single.data, products.data, n_open, k, columns);
  }

  KG_INLINE bool has_norm(i64 slot) const {
    return LEAST_NORM <= of_points[slot] && of_points[slot] <= MOST_NORM;
  }

  // A squared distance when products were made: the least, or the most for sign 1.
  KG_INLINE double squared_at_least(i64 slot, i64 cluster, double sign) const {
    const double norms = of_points[slot] + of_means[cluster];
    return norms - 2.0 * static_cast<double>(products[slot * k + cluster]) +
           sign * rounding * norms;
  }

  // The least that a squared distance is now; 0 beyond the range of float32.
  KG_INLINE double at_least(i64 slot, i64 cluster) const {
    if (!(has_norm(slot) && of_means[cluster] <= MOST_NORM)) return 0.0;
    const double least = squared_at_least(slot, cluster, -1.0);
    return least > 0.0 ? nearer(least, shift[cluster]) : 0.0;
  }

  // Whether products prove that a point stays; `own` and `others` are then its bounds by them, with
  // the weights that clusters had then.
  KG_INLINE bool stays(i64 slot, i64 source, double w, const double* then, double& own,
                       double& others) const {
    if (slot < 0 || !has_norm(slot) || !(of_means[source] <= MOST_NORM)) return false;
    const double near = square_root(larger(squared_at_least(slot, source, 1.0), 0.0));
    const double s = means.weight[source], now = near + shift[source], leave = s * now * now;
    const double rest = least_rest(s, w);
    const bool is_same = then == means.weight.data;
    double least = INFINITE;
    for (i64 c = 0; c < k; c++) {
      if (c == source) continue;
      const double far = squared_at_least(slot, c, -1.0), part = share(means.weight[c], w);
      if (!(of_means[c] <= MOST_NORM && far > 0.0 && leave < rest * part * nearer(far, shift[c])))
        return false;
      least = smaller(least, (is_same ? part : share(then[c], w)) * far);
    }
    own = near, others = square_root(least);
    return true;
  }

  // The other cluster that costs the measured point least to enter, its cost and the next one.
  KG_INLINE Choice cheapest(i64 source, double w) const {
    i64 target = source;
    double entry = INFINITE, next_entry = INFINITE;
    for (i64 c = 0; c < k; c++) {
      const double s = means.weight[c];
      // Most clusters cost more than two others, which is seen without a division.
      if (s * squared[c] < next_entry * (s + w) && c != source) {
        const double cost = share(s, w) * squared[c];
        if (cost < entry * (1.0 - TIE)) target = c, next_entry = entry, entry = cost;
        else if (cost < next_entry) next_entry = cost;
      }
    }
    return {target, 0.0, entry, next_entry};
  }

  // What the measured point gains most by. Where rounding could decide whether that is more than
  // `least`, all near clusters are compared with all digits, and leaving costs a unit of weight
  // leave_exactly().
  template <class Exact>
  KG_INLINE Choice choose(i64 i, i64 source, double w, double slack, double least,
                          Exact leave_exactly) const {
    Choice best = cheapest(source, w);
    const double s = means.weight[source], heavy = s / (s - w), leave = heavy * squared[source];
    best.gain = w * (leave - best.entry);
    const double noise = noise_of(slack, heavy, squared[source], squared[best.target], best.entry);
    if (w * noise > least && absolute(best.gain - least) <= w * noise) {
      const double most = larger(leave, best.entry) + 2.0 * noise;
      best.next_entry = best.entry;  // the target may be another one
      best.target = source;
      double entry = INFINITE;
      const double* row = read_row(F, i, room.data);
      for (i64 c = 0; c < k; c++) {
        const double part = share(means.weight[c], w);
        if (c == source || !(part * squared[c] <= most)) continue;
        const double cost = part * exact_distance(F, means, c, row);
        if (cost < entry) best.target = c, entry = cost;
      }
      best.gain = w * (leave_exactly() - entry);
    }
    return best;
  }
};

}  // namespace KG_SET
