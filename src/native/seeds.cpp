// Greedy k-means++ on a stored matrix or on features.
#include "held_rows.hpp"

namespace KG_SET {

// The first place whose cumulative sum exceeds a share `draw` of the total.
//
// The last sum may round to less than the draw; the last place with a share is meant.
static i64 find_place(const double* cumulative, i64 n, double draw) {
  const double goal = draw * cumulative[n - 1];
  i64 first = 0, last = n;
  while (first < last) {
    const i64 middle = (first + last) / 2;
    if (cumulative[middle] > goal) last = middle;
    else first = middle + 1;
  }
  if (first < n) return first;
  first = n - 1;
  while (first > 0 && cumulative[first - 1] == cumulative[n - 1]) first--;
  return first;
}

// Squared distances G_ii + G_jj − 2G_ij of a matrix G = scale · rows − shift − shift'.
template <class T> struct OfMatrix {
  Matrix<const T> rows;
  const double* diagonal;
  double scale;
  const double* shift;

  auto from(i64 i) const {
    const T* row = rows[i];
    return [=, *this, own = diagonal[i], own_shift = shift[i]](i64 j) {
      const double inner = scale * row[j] - own_shift - shift[j];
      return larger(own + diagonal[j] - 2.0 * inner, 0.0);
    };
  }
};

// Squared distances scale · ‖x_i − x_j‖² of features.
template <class T> struct OfFeatures {
  Matrix<const T> rows;
  double scale;
  double* point;  // (D,) room

  auto from(i64 i) const {
    for (i64 d = 0; d < rows.columns; d++) point[d] = rows[i][d];
    return [=, *this, x = point](i64 j) {
      const T* y = rows[j];
      return scale * sum_squares(rows.columns, [=]<class V>(i64 d) {
        return take<V>(x + d) - take<V>(y + d);
      });
    };
  }
};

// Labels of the nearest of k seeds, by squared distances; how many seeds were found.
template <class S>
static i64 find_seeds(Call& call, const S& squared, Vector<const double> weights,
                      Matrix<const double> draws, Vector<i64> labels) {
  const i64 n = labels.n;
  // Squared distances to the nearest seed; to that or a candidate, and of the best candidate.
  Scratch<double> nearest(call, n), first(call, n), second(call, n), cumulative(call, n);
  if (!nearest || !first || !second || !cumulative) return 0;
  double *tried = first.data, *best = second.data, total = 0.0;
  for (i64 i = 0; i < n; i++) {
    total += weights[i];
    cumulative[i] = total;
    labels[i] = 0;
    nearest[i] = INFINITE;
  }
  for (i64 cluster = 0; cluster < draws.rows; cluster++) {
    double lowest = INFINITE;
    i64 seed = 0;
    for (i64 i = 0; i < n; i++) best[i] = INFINITE;
    for (i64 c = 0; c < (cluster == 0 ? 1 : draws.columns); c++) {
      const i64 point = find_place(cumulative.data, n, draws[cluster][c]);
      const auto to = squared.from(point);
      const double *__restrict w = weights.data, *__restrict so_far = nearest.data;
      double* __restrict now = tried;
      double left = 0.0;
      for (i64 j = 0; j < n; j++) {
        now[j] = smaller(to(j), so_far[j]);
        left += w[j] * now[j];
      }
      if (left < lowest) {
        tried = best, best = now;
        lowest = left, seed = point;
      }
      if (must_stop(call, n * (4 + squared.rows.columns))) return 0;
    }
    total = 0.0;
    for (i64 i = 0; i < n; i++) {
      if (best[i] < nearest[i]) nearest[i] = best[i], labels[i] = cluster;
      total += weights[i] * nearest[i];
      cumulative[i] = total;
    }
    labels[seed] = cluster;
    if (!(total > 0.0)) return cluster + 1;
  }
  return draws.rows;
}

// Labels of the nearest of k seeds, each the best of several candidates; how many were found.
//
// With a `shift`, rows are those of a matrix, without they are features. `draws` are uniform numbers,
// (k, candidates), of which the first seed uses one. Fewer than k seeds are found where all points
// coincide with one. O(n) a candidate for a matrix, O(nD) for features.
template <class T>
static i64 greedy_seeds(Call& call, Matrix<const T> rows, Vector<const double> diagonal,
                        double scale, Vector<const double> shift, Vector<const double> weights,
                        Matrix<const double> draws, Vector<i64> labels) {
  const i64 n = labels.n;
  const bool is_matrix = shift.n > 0;
  if (!require(call, n > 0 && rows.rows == n && weights.n == n && draws.rows > 0 &&
                         draws.columns > 0 &&
                         (!is_matrix || (rows.columns == n && diagonal.n == n && shift.n == n)),
               "greedy_seeds: lengths differ"))
    return 0;
  if (is_matrix)
    return find_seeds(call, OfMatrix<T>{rows, diagonal.data, scale, shift.data}, weights, draws,
                      labels);
  Scratch<double> point(call, rows.columns);
  if (!point) return 0;
  return find_seeds(call, OfFeatures<T>{rows, scale, point.data}, weights, draws, labels);
}

KERNELS(seeds) = {
    {"greedy_seeds", run<greedy_seeds<float>>},
    {"greedy_seeds", run<greedy_seeds<double>>},
};
KERNELS_END(seeds)

}  // namespace KG_SET
