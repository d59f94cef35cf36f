// Hartigan's rule on sums [FRV Algorithm 2], and the record of clusters that it reads and writes.
#pragma once
#include "kernel.hpp"
#include "numbers.hpp"

namespace KG_SET {

// A cluster that was so many times heavier while it changed is added up once more at the end.
constexpr double LIGHTER = 64.0;
// So is everything where Q may otherwise be off by this share, sixteen roundings of float32; a
// search in which larger gains may still be rounding has not converged.
constexpr double DIGITS = 2e-6;

// Where every point is, and the sufficient statistics of each cluster.
struct State {
  Vector<i64> labels;      // (n,) cluster of each point
  Vector<i64> members;     // (k,) points with positive weight
  Vector<double> weight;   // (k,) s_j
  Vector<double> within;   // (k,) Q_j
  Vector<double> peak;     // (k,) largest s_j since the sums were computed
  Vector<double> reach;    // (k,) largest |Q_j| since then
  Vector<i64> held_back;   // (1,) moves since then that did not count because of rounding
  double growth;           // share of its weight that a point adds to s_j; 0 without denominators
  double rounding;         // relative error of a sum that was just computed
};

// Whether all arrays have the lengths of k clusters of n points, and labels of points that are
// looked at, [start, stop), are clusters.
inline bool is_state(Call& call, const State& s, i64 n, i64 k, i64 start, i64 stop) {
  return require(call, start >= 0 && start <= stop && stop <= n, "points are out of bounds") &&
         require(call, s.labels.n == n && s.members.n == k && s.weight.n == k &&
                           s.within.n == k && s.peak.n == k && s.reach.n == k &&
                           s.held_back.n == 1, "lengths of a state differ") &&
         require_below(call, {s.labels.data + start, stop - start}, k, "a label is out of bounds");
}

// Whether heavy points that have left took half of the digits of Q_j with them.
//
// What s_j, R_j and Q_j lose by rounding is a share of their size when it was largest, and Q_j
// grows as the square of the weight. The cluster then waits for new sums.
KG_INLINE bool is_worn(i64 cluster, const State& s) {
  return square_root(square_root(s.rounding)) * s.peak[cluster] > s.weight[cluster];
}

// Moves a point and brings the state up to date; g is w² G_ii [FRV eqs. 48 and 49].
KG_INLINE void transfer(Matrix<const double> sums, i64 column, i64 point, i64 target, double w,
                        double g, const State& s) {
  const i64 source = s.labels[point];
  s.labels[point] = target;
  count(s.members[source], -1);
  count(s.members[target], 1);
  s.weight[source] -= s.growth * w;
  s.weight[target] += s.growth * w;
  s.peak[target] = larger(s.peak[target], s.weight[target]);
  s.within[source] -= 2.0 * w * sums[source][column] - g;
  s.within[target] += 2.0 * w * sums[target][column] + g;
  s.reach[target] = larger(s.reach[target], absolute(s.within[target]));
}

struct Target {
  i64 cluster;
  double gain;
};

// The cluster whose gain [FRV eq. 50] is largest for a point; the lowest index among equals.
KG_INLINE Target best_target(Matrix<const double> sums, i64 column, i64 source, double w, double g,
                             const State& s) {
  const double step = s.growth * w, rest = s.weight[source] - step;
  if (rest <= 0.0) return {source, 0.0};
  const double leave =
      (step * s.within[source] / s.weight[source] - 2.0 * w * sums[source][column] + g) / rest;
  i64 best = source;
  double best_enter = -INFINITE;
  for (i64 target = 0; target < sums.rows; target++) {
    if (target == source) continue;
    const double weight = s.weight[target];
    const double mean = weight > 0.0 ? s.within[target] / weight : 0.0;
    const double enter = (2.0 * w * sums[target][column] + g - step * mean) / (weight + step);
    if (enter > best_enter) best = target, best_enter = enter;
  }
  return {best, leave + best_enter};
}

// Whether rounding cannot have made up the `excess` of a gain over the least that counts.
//
// Where a point is nearly all the weight of its cluster, what remains without it is a difference
// of nearly equal numbers. Without denominators the least gain covers the rounding already.
inline bool is_sound(Matrix<const double> sums, i64 column, i64 target, i64 point, double w,
                     double g, double excess, const State& s) {
  // Roundings in the numerator of a gain, and in its denominator, counted generously.
  constexpr double roundings = 8.0;
  // Up to this ratio of weights hardly any digits are lost, which the least gain covers.
  constexpr double uneven = 64.0;
  const double step = s.growth * w;
  if (step == 0.0) return true;
  const i64 source = s.labels[point];
  const double weight = s.weight[source], peak = s.peak[source], rest = weight - step;
  const double ends = s.weight[target], n = static_cast<double>(s.labels.n);
  double error = LEAST_SUBNORMAL * n * n * (1.0 + 1.0 / weight);
  if (step <= uneven * rest && peak <= uneven * weight && s.peak[target] <= uneven * ends) {
    const bool is_real = excess * rest > roundings * error;
    count(s.held_back[0], !is_real);
    return is_real;
  }
  const double of_rest = step * s.within[source] / weight;
  const double of_point = 2.0 * w * sums[source][column];
  // What is lost of Q_j stays when the points that were most of it have left.
  const double size =
      step * s.reach[source] / weight + (absolute(of_point) + absolute(g)) * peak / weight;
  error += s.rounding * size + EPSILON * peak / rest * absolute(of_rest - of_point + g);
  if (ends > 0.0)
    error += s.rounding * s.reach[target] * step * rest / (ends * (ends + step));
  const bool vanishes = rest <= 2.0 * roundings * EPSILON * peak;
  const bool is_real = !vanishes && excess * rest > roundings * error &&
                       !is_worn(source, s) && !is_worn(target, s);
  count(s.held_back[0], !is_real);
  return is_real;
}

// Moves a point, and brings the state and the sums of its block up to date.
KG_INLINE void carry_out(Matrix<double> sums, Matrix<const double> piece, i64 column, i64 point,
                         i64 target, double w, double g, const State& s) {
  double* __restrict leave = sums[s.labels[point]];
  double* __restrict enter = sums[target];
  const double* __restrict row = piece[column];
  transfer({sums.data, sums.rows, sums.columns}, column, point, target, w, g, s);
  for (i64 c = 0; c < piece.columns; c++) {
    const double change = w * row[c];
    leave[c] -= change;
    enter[c] += change;
  }
}

}  // namespace KG_SET
