// Tables of sums over bins and categories by cluster: made, and kept up to date.
#include "columns.hpp"

namespace KG_SET {

// Writes labels in ascending order of a line, with weights where each line has its own, and adds up
// the points of each of its bins.
static void fill_bins(Call& call, const Columns& s, Vector<const i64> labels,
                      Vector<const double> weights, const Tables& t, i64 line) {
  const i64 n = s.x.rows, k = t.n_clusters();
  if (!fits_together(call, s, t) ||
      !require(call, labels.n == n && weights.n == n && line >= 0 && line < s.x.columns,
               "fill_bins: lengths or the line are not those of the columns") ||
      !require_below(call, labels, k, "fill_bins: a label is out of bounds"))
    return;
  const bool is_weighted = t.has_weights();
  const Int32* places = s.places[line];
  const double* values = s.values[line];
  Int32* __restrict members = t.members[line];
  double* __restrict masses = is_weighted ? t.masses[line] : nullptr;
  memset(members, 0, sizeof(Int32) * n);
  for (i64 point = 0; point < n; point++) {
    const i64 place = held_below(places[point], n);
    members[place] = static_cast<Int32>(labels[point]);
    if (is_weighted) masses[place] = weights[point];
  }
  for (i64 b = s.first_bin[line]; b < s.first_bin[line + 1]; b++) {
    const double low = s.low[b], high = s.high[b];
    double* __restrict sums = t.inside[b][0];
    memset(sums, 0, sizeof(double) * 3 * k);
    for (i64 p = s.first[b]; p < s.last[b]; p++) {
      const i64 cluster = members[p];
      const double w = is_weighted ? masses[p] : t.mass, y = values[p];
      sums[cluster] += w;
      sums[k + cluster] += w * (y - low);
      sums[2 * k + cluster] += w * (high - y);
    }
  }
}

// Weights of all categories, of missing entries and of all points, by cluster.
static void count_categories(Call& call, const Columns& s, Vector<const i64> labels,
                             Vector<const double> weights, const Tables& t) {
  if (!fits_together(call, s, t) ||
      !require(call, labels.n == s.x.rows && weights.n == s.x.rows,
               "count_categories: lengths are not those of the columns") ||
      !require_below(call, labels, t.n_clusters(), "count_categories: a label is out of bounds"))
    return;
  const i64 size = sizeof(double) * 2 * t.n_clusters();
  memset(t.counts.data, 0, size * t.counts.depth);
  memset(t.gaps.data, 0, size * t.gaps.depth);
  memset(t.totals.data, 0, size);
  for (i64 point = 0; point < labels.n; point++) {
    const i64 cluster = labels[point];
    const double w = weights[point];
    add_compensated(t.totals, cluster, w);
    for (i64 e = 0; e < s.codes.columns; e++)
      add_compensated(counts_of(s, t, point, e), cluster, w);
    add_gaps_of(s.gaps.row(point), t, cluster, w);
  }
  must_stop(call, 10 * labels.n * (s.codes.columns + s.gaps.columns));
}

// Brings the sums of each bin and category up to date after moves, but not those across bins.
static void carry_over_moves(Call& call, const Columns& s, const Tables& t,
                             const Moves& moves) {
  const i64 m = moves.points.n, k = t.n_clusters();
  const char* message = "carry_over_moves: a point or cluster is out of bounds";
  if (!fits_together(call, s, t) ||
      !require(call, moves.weights.n == m && moves.sources.n == m && moves.targets.n == m,
               "carry_over_moves: lengths of the moves differ") ||
      !require_below(call, moves.points, s.x.rows, message) ||
      !require_below(call, moves.sources, k, message) ||
      !require_below(call, moves.targets, k, message))
    return;
  carry_over(s, t, moves);
}

// Sums across bins anew. O(bins · k).
static void sum_across_bins(Call& call, const Columns& s, const Tables& t) {
  if (!fits_together(call, s, t)) return;
  const Scratch<double> above(call, t.n_clusters());
  if (!above) return;
  for (i64 line = 0; line < s.x.columns; line++) sum_across(s, t, line, above.data);
}

KERNELS(bin_tables) = {{"fill_bins", run<fill_bins>},
                       {"count_categories", run<count_categories>},
                       {"carry_over_moves", run<carry_over_moves>},
                       {"sum_across_bins", run<sum_across_bins>}};
KERNELS_END(bin_tables)

}  // namespace KG_SET
