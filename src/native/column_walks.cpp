// Walks along sorted columns, for sums of all points at once.
#include "columns.hpp"

namespace KG_SET {

static bool require_line(Call& call, i64 line, i64 lines) {
  return require(call, line >= 0 && line < lines, "there is no such line");
}

// Adds to `out` what a line adds to R_l of each point for the one cluster l named for it.
//
// Two walks over each bin, in which a cluster's sum grows with the way since it was last met.
static void add_own_sums(Call& call, const Columns& s, const Tables& t,
                         Vector<const i64> clusters, i64 line, Vector<double> out) {
  const i64 n = s.x.rows, k = t.n_clusters();
  if (!fits_together(call, s, t) || !require_line(call, line, s.x.columns) ||
      !require(call, clusters.n == n && out.n == n, "add_own_sums: lengths differ") ||
      !require_below(call, clusters, k, "add_own_sums: a cluster is out of bounds"))
    return;
  const Scratch<Int32> asked_for(call, n);
  const Scratch<double> sum_of(call, n), of_clusters(call, 3 * k);
  if (!asked_for || !sum_of || !of_clusters) return;
  const bool is_weighted = t.has_weights();
  const Int32 *places = s.places[line], *members = t.members[line];
  const double *values = s.values[line], *masses = is_weighted ? t.masses[line] : nullptr;
  Int32* __restrict asked = asked_for.data;
  double *__restrict sums = sum_of.data, *__restrict total = of_clusters.data;
  double *mass = total + k, *since = mass + k;
  memset(asked, 0, sizeof(Int32) * n);
  for (i64 point = 0; point < n; point++)
    asked[held_below(places[point], n)] = static_cast<Int32>(clusters[point]);
  for (i64 b = s.first_bin[line]; b < s.first_bin[line + 1]; b++) {
    const i64 first = s.first[b], last = s.last[b];
    const double low = s.low[b], high = s.high[b], *outside = t.outside[b][0];
    for (i64 p = first; p < last; p++) {
      const i64 c = asked[p];
      const double x = values[p];
      sums[p] = outside[c] + ((x - low) * outside[k + c] + (high - x) * outside[2 * k + c]);
    }
    if (low == high) continue;
    for (int is_back = 0; is_back < 2; is_back++) {
      for (i64 c = 0; c < k; c++) total[c] = mass[c] = 0.0, since[c] = is_back ? high : low;
      for (i64 step = 0; step < last - first; step++) {
        const i64 p = is_back ? last - 1 - step : first + step;
        const i64 member = held_below(members[p], k), own = asked[p];
        const double x = values[p];
        const i64 met[2] = {member, own};
        for (const i64 c : met) {
          total[c] += absolute(x - since[c]) * mass[c];
          since[c] = x;
        }
        sums[p] += total[own];
        mass[member] += is_weighted ? masses[p] : t.mass;
      }
    }
  }
  const double half = -0.5 * s.factors[line];
  for (i64 point = 0; point < n; point++) out[point] += half * sums[held_below(places[point], n)];
  must_stop(call, 10 * n);
}

// Adds to `out` what a line adds to Q_j of each cluster: one walk over each bin. O(n).
static void add_line_within(Call& call, const Columns& s, const Tables& t, i64 line,
                            Vector<double> out) {
  const i64 k = t.n_clusters();
  if (!fits_together(call, s, t) || !require_line(call, line, s.x.columns) ||
      !require(call, out.n == k, "add_line_within: lengths differ"))
    return;
  const Scratch<double> of_clusters(call, 4 * k);
  if (!of_clusters) return;
  const bool is_weighted = t.has_weights();
  const Int32* members = t.members[line];
  const double *values = s.values[line], *masses = is_weighted ? t.masses[line] : nullptr;
  double* pairs = of_clusters.data;
  double *total = pairs + k, *mass = total + k, *since = mass + k;
  const double factor = s.factors[line];
  for (i64 b = s.first_bin[line]; b < s.first_bin[line + 1]; b++) {
    const double *inside = t.inside[b][0], *outside = t.outside[b][0];
    for (i64 c = 0; c < k; c++) pairs[c] = total[c] = mass[c] = 0.0, since[c] = s.low[b];
    if (s.low[b] < s.high[b]) {
      for (i64 p = s.first[b]; p < s.last[b]; p++) {
        const i64 c = held_below(members[p], k);
        const double w = is_weighted ? masses[p] : t.mass;
        total[c] += (values[p] - since[c]) * mass[c];
        since[c] = values[p];
        pairs[c] += w * total[c];
        mass[c] += w;
      }
    }
    for (i64 c = 0; c < k; c++) {
      double across = inside[c] * outside[c];
      across += inside[k + c] * outside[k + c] + inside[2 * k + c] * outside[2 * k + c];
      out[c] -= factor * (pairs[c] + 0.5 * across);
    }
  }
}

// Adds the product of a line's part of G with `right` (n, m). O(nm).
static void add_line_product(Call& call, const Columns& s, i64 line,
                             Matrix<const double> right, Matrix<double> out) {
  const i64 n = s.x.rows, m = right.columns;
  if (!fits_together(call, s) || !require_line(call, line, s.x.columns) ||
      !require(call, right.rows == n && out.rows == n && out.columns == m,
               "add_line_product: lengths differ"))
    return;
  const Scratch<i64> order(call, n);
  const Scratch<double> sums(call, 4 * m);
  if (!order || !sums) return;
  memset(order.data, 0, sizeof(i64) * n);
  for (i64 point = 0; point < n; point++) order[held_below(s.places[line][point], n)] = point;
  const Matrix<double> total{sums.data, 2, m}, mass{sums.data + 2 * m, 2, m};
  const double half = -0.5 * s.factors[line], *values = s.values[line];
  for (int is_back = 0; is_back < 2; is_back++) {
    memset(sums.data, 0, sizeof(double) * sums.n);
    for (i64 step = 0; step < n; step++) {
      const i64 p = is_back ? n - 1 - step : step, point = order[p];
      const double since = values[step == 0 ? p : is_back ? p + 1 : p - 1];
      const double apart = absolute(values[p] - since), *from = right[point];
      double* __restrict to = out[point];
      for (i64 c = 0; c < m; c++) {
        add_compensated(total, c, apart * (mass[0][c] + mass[1][c]));
        to[c] += half * (total[0][c] + total[1][c]);
        add_compensated(mass, c, from[c]);
      }
      if (must_stop(call, 16 * m)) return;
    }
  }
}

KERNELS(column_walks) = {{"add_own_sums", run<add_own_sums>},
                         {"add_line_within", run<add_line_within>},
                         {"add_line_product", run<add_line_product>}};
KERNELS_END(column_walks)

}  // namespace KG_SET
