// Sums of some points over sorted columns, and pieces of rows of G.
#include "column_sums.hpp"

namespace KG_SET {

// R_l of the points from `start` on, into `out` of shape (points, k).
static void sum_points(Call& call, const Columns& s, const Tables& t, i64 start,
                       Matrix<double> out) {
  const i64 k = t.n_clusters();
  if (!fits_together(call, s, t) ||
      !require(call, start >= 0 && start <= s.x.rows - out.rows && out.columns == k,
               "sum_points: the points or clusters are not those of the columns"))
    return;
  const Scratch<double> part(call, k);
  const Scratch<i64> clusters(call, k);
  if (!part || !clusters) return;
  for (i64 c = 0; c < k; c++) clusters[c] = c;
  for (i64 i = 0; i < out.rows; i++) {
    sum_point(s, t, start + i, {clusters.data, k}, part.data, out[i]);
    if (must_stop(call, (s.x.columns + s.codes.columns) * (k + 100))) return;
  }
}

// G between some points and those from `start` on, into `out` of shape (points, width).
static void fill_similarities(Call& call, const Columns& s, Vector<const i64> index, i64 start,
                              Matrix<double> out) {
  const i64 lines = s.x.columns, categories = s.codes.columns, gaps = s.gaps.columns;
  if (!fits_together(call, s) ||
      !require(call, start >= 0 && start <= s.x.rows - out.columns && out.rows == index.n,
               "fill_similarities: the points are not those of the columns") ||
      !require_below(call, index, s.x.rows, "fill_similarities: a point is out of bounds"))
    return;
  const Scratch<double> numbers(call, LANES * (lines + gaps));
  const Scratch<Int32> codes(call, LANES * categories);
  if (!numbers || !codes) return;
  memset(numbers.data, 0, sizeof(double) * numbers.n);
  memset(codes.data, 0, sizeof(Int32) * codes.n);
  const Panel panel{{numbers.data, lines, LANES},
                    {codes.data, categories, LANES},
                    {numbers.data + LANES * lines, gaps, LANES}};
  for (i64 begin = 0; begin < out.columns; begin += LANES) {
    const i64 width = smaller<i64>(LANES, out.columns - begin);
    for (i64 m = 0; m < width; m++) put_into(panel, m, s, start + begin + m);
    for (i64 row = 0; row < index.n; row++) {
      double found[LANES], *to = out[row] + begin;
      find_similarities(s, index[row], panel, width == LANES ? to : found);
      for (i64 m = 0; width < LANES && m < width; m++) to[m] = found[m];
    }
    if (must_stop(call, index.n * LANES * (lines + categories + gaps))) return;
  }
}

KERNELS(column_sums) = {{"sum_points", run<sum_points>},
                        {"fill_similarities", run<fill_similarities>}};
KERNELS_END(column_sums)

}  // namespace KG_SET
