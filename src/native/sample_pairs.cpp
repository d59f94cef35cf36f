// Sums over two samples: the squared difference of their distributions, and mean distances.
#include "kernel.hpp"
#include "phi.hpp"

namespace KG_SET {

// Samples one after another; sample i is points[begins[i] : begins[i + 1]], and has a point.
static bool are_samples(Vector<const i64> begins, i64 n) {
  bool holds = begins.n > 0 && begins[0] >= 0 && begins[begins.n - 1] <= n;
  for (i64 i = 1; i < begins.n; i++) holds &= begins[i - 1] < begins[i];
  return holds;
}

// Calls fill(i, j) for the samples `first` + i and `start` + j of each place of a strip; with `above`
// only where the second has the higher number.
template <class F>
static void for_pairs(Call& call, i64 first, i64 start, bool above, Vector<const i64> x_begins,
                      Vector<const i64> y_begins, Matrix<double> out, F fill) {
  if (!require(call, first >= 0 && start >= 0 && first < x_begins.n - out.rows &&
                         start < y_begins.n - out.columns,
               "sample_pairs: a sample is out of range"))
    return;
  for (i64 i = 0; i < out.rows; i++) {
    const i64 skipped = above ? larger(first + i + 1 - start, i64{0}) : 0;
    for (i64 j = skipped; j < out.columns; j++) {
      const i64 work = fill(i, j);
      if (must_stop(call, work)) return;
    }
  }
}

// 2∫(F − G)² of two sorted samples. O(m_x + m_y).
static double between_lines(const double* x, i64 n_x, const double* y, i64 n_y) {
  const double step = 1.0 / static_cast<double>(n_x), other_step = 1.0 / static_cast<double>(n_y);
  double total = 0.0, last = smaller(x[0], y[0]);
  i64 p = 0, q = 0;
  while (p < n_x || q < n_y) {
    const double gap = static_cast<double>(p) * step - static_cast<double>(q) * other_step;
    const bool is_left = q >= n_y || (p < n_x && x[p] <= y[q]);
    const double at = is_left ? x[p] : y[q];
    total += gap * gap * (at - last);
    last = at;
    p += is_left;
    q += !is_left;
  }
  return 2.0 * total;
}

// Sets out[i, j] to 2∫(F − G)² of sorted samples `first` + i of x and `start` + j of y.
static void fill_lines(Call& call, Vector<const double> x, Vector<const i64> x_begins,
                       Vector<const double> y, Vector<const i64> y_begins, i64 first, i64 start,
                       bool above, Matrix<double> out) {
  if (!require(call, are_samples(x_begins, x.n) && are_samples(y_begins, y.n),
               "fill_lines: samples are out of range"))
    return;
  for_pairs(call, first, start, above, x_begins, y_begins, out, [=](i64 i, i64 j) {
    const i64 *a = &x_begins[first + i], *b = &y_begins[start + j];
    out[i][j] = between_lines(x.data + a[0], a[1] - a[0], y.data + b[0], b[1] - b[0]);
    return a[1] - a[0] + b[1] - b[0];
  });
}

// total + Σ ‖s − t‖^(2 half) over some points t, for room of as many numbers filled up to eight.
static double add_powers(double total, const double* s, const double* t, i64 n, i64 columns,
                         double half, double* __restrict room) {
  const auto squared = [=](i64 q) {
    double sum = 0.0;
    for (i64 d = 0; d < columns; d++) {
      const double gap = s[d] - t[q * columns + d];
      sum += gap * gap;
    }
    return sum;
  };
  if (half == 0.5) {
    for (i64 q = 0; q < n; q++) total += square_root(squared(q));
    return total;
  }
  for (i64 q = 0; q < n; q++) room[q] = squared(q);
  for (i64 q = n; q % Lanes::N; q++) room[q] = 0.0;
  if (half != 1.0) replace_each(room, n, [half](Doubles v) { return raise(v, half); });
  for (i64 q = 0; q < n; q++) total += room[q];
  return total;
}

static i64 longest(Vector<const i64> begins) {
  i64 most = 0;
  for (i64 i = 1; i < begins.n; i++) most = larger(most, begins[i] - begins[i - 1]);
  return most;
}

// Sets out[i, j] to the mean of ‖s − t‖^(2 half) over points s and t of two samples, `first` + i of x
// and `start` + j of y, with one row per point. O(m_x m_y D) each.
static void fill_means(Call& call, Matrix<const double> x, Vector<const i64> x_begins,
                       Matrix<const double> y, Vector<const i64> y_begins, double half, i64 first,
                       i64 start, bool above, Matrix<double> out) {
  if (!require(call, x.columns == y.columns && are_samples(x_begins, x.rows) &&
                         are_samples(y_begins, y.rows),
               "fill_means: samples are out of range, or their points differ"))
    return;
  Scratch<double> room(call, longest(y_begins) + Lanes::N);
  if (!room) return;
  for_pairs(call, first, start, above, x_begins, y_begins, out, [&](i64 i, i64 j) {
    const i64 *a = &x_begins[first + i], *b = &y_begins[start + j], n = b[1] - b[0];
    double total = 0.0;
    for (i64 p = a[0]; p < a[1]; p++)
      total = add_powers(total, x[p], y[b[0]], n, x.columns, half, room.data);
    const i64 pairs = (a[1] - a[0]) * n;
    out[i][j] = total / static_cast<double>(pairs);
    return pairs * (x.columns + 4);
  });
}

// Sets out[i] to the mean of ‖s − t‖^(2 half) over all pairs of points of sample i.
static void fill_own_means(Call& call, Matrix<const double> x, Vector<const i64> begins,
                           double half, Vector<double> out) {
  if (!require(call, are_samples(begins, x.rows) && begins.n == out.n + 1,
               "fill_own_means: samples are out of range"))
    return;
  Scratch<double> room(call, longest(begins) + Lanes::N);
  if (!room) return;
  for (i64 i = 0; i < out.n; i++) {
    const i64 a = begins[i], n = begins[i + 1] - a;
    double total = 0.0;
    for (i64 p = 1; p < n; p++)
      total = add_powers(total, x[a + p], x[a], p, x.columns, half, room.data);
    out[i] = 2.0 * total / static_cast<double>(n * n);
    if (must_stop(call, n * n * (x.columns + 4))) return;
  }
}

KERNELS(sample_pairs) = {{"fill_lines", run<fill_lines>},
                         {"fill_means", run<fill_means>},
                         {"fill_own_means", run<fill_own_means>}};
KERNELS_END(sample_pairs)

}  // namespace KG_SET
