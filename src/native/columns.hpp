// Sorted columns, sums over their bins by cluster, and what a move changes about them.
#pragma once
#include "kernel.hpp"
#include "simd.hpp"

namespace KG_SET {

using Int32 = int32_t;

// What does not change: columns on a line, cut into bins, columns of categories, and gaps. See
// kgroups.gram.sorted_columns.
struct Columns {
  Matrix<const double> x;                // (n, L) coordinates
  Vector<const double> factors;     // (L,) c of c |x − y|
  Vector<const i64> groups;         // where equal factors begin
  Matrix<const u16> bins;           // (n, L) the bin of each point among those of the line
  Matrix<const Int32> places;       // (L, n) the place of each point in ascending order
  Matrix<const double> values;      // (L, n) ascending
  Vector<const i64> first_bin;      // (L + 1,)
  Vector<const i64> first, last;    // (bins,) the place where a bin begins, and that behind it
  Vector<const double> low, high;   // (bins,)
  Matrix<const Int32> codes;        // (n, E) categories, numbered through all columns
  Vector<const double> code_factors;  // (E,) c of c [x ≠ y]
  Vector<const i64> code_groups;    // where equal factors begin
  Matrix<const double> gaps;        // (n, G) NaN where the entry is missing
};

// Sums by cluster that change when points do, as they were at the last rebuild.
struct Tables {
  Matrix<Int32> members;   // (L, n) cluster of the point at each place
  Matrix<double> masses;   // (L, n) its weight; (0, n) if all are equal
  double mass;             // to what, then; else 1
  Cube<double> inside;     // (bins, 3, k) Σ w, Σ w (y − low) and Σ w (high − y)
  Cube<double> outside;    // (bins, 3, k) Σ w |y − nearer edge| of the others, Σ w below and above
  Matrix<double> chords;   // (bins, 3 + 2k) what one look at a bin needs
  Cube<double> counts;     // (categories, 2, k) Σ w, and what rounding has left of it
  Cube<double> gaps;       // (2G, 2, k) likewise Σ w g and Σ w of the missing, column by column
  Matrix<double> totals;   // (2, k) likewise over all points

  i64 n_clusters() const { return totals.columns; }
  bool has_weights() const { return masses.rows > 0; }
};

struct Moves {
  Vector<const i64> points;
  Vector<const double> weights;
  Vector<const i64> sources, targets;
};

// An index, or the last one in place of any that does not exist: where a check of all of them ahead
// would cost more than their use.
KG_INLINE i64 held_below(i64 index, i64 stop) {
  return static_cast<u64>(index) < static_cast<u64>(stop) ? index : stop - 1;
}
KG_INLINE i64 bin_of(const Columns& s, i64 point, i64 line) {
  const i64 begin = s.first_bin[line];
  return begin + held_below(s.bins[point][line], s.first_bin[line + 1] - begin);
}
KG_INLINE Matrix<double> counts_of(const Columns& s, const Tables& t, i64 point, i64 e) {
  return t.counts[held_below(s.codes[point][e], t.counts.depth)];
}

// From 0 up to `stop`, each number larger than the one before.
inline bool ascends(Vector<const i64> starts, i64 stop) {
  if (starts.n == 0 || starts[0] != 0 || starts[starts.n - 1] != stop) return false;
  bool holds = true;
  for (i64 i = 1; i < starts.n; i++) holds &= starts[i - 1] < starts[i];
  return holds;
}

inline bool fits_together(Call& call, const Columns& s) {
  const i64 n = s.x.rows, lines = s.x.columns, bins = s.first.n;
  bool holds = s.factors.n == lines && ascends(s.groups, lines) && s.bins.rows == n &&
               s.bins.columns == lines && s.places.rows == lines && s.places.columns == n &&
               s.values.rows == lines && s.values.columns == n &&
               s.first_bin.n == lines + 1 && ascends(s.first_bin, bins) && s.last.n == bins &&
               s.low.n == bins && s.high.n == bins && s.codes.rows == n &&
               s.code_factors.n == s.codes.columns && ascends(s.code_groups, s.codes.columns) &&
               s.gaps.rows == n;
  for (i64 b = 0; holds && b < bins; b++)
    holds = 0 <= s.first[b] && s.first[b] <= s.last[b] && s.last[b] <= n;
  return require(call, holds, "lengths or bins of the columns differ");
}

inline bool fits_together(Call& call, const Columns& s, const Tables& t) {
  if (!fits_together(call, s)) return false;
  const i64 n = s.x.rows, lines = s.x.columns, bins = s.first.n, k = t.n_clusters();
  const auto is_by_bin = [&](const Cube<double>& c) {
    return c.depth == bins && c.rows == 3 && c.columns == k;
  };
  return require(call,
                 k > 0 && t.totals.rows == 2 && t.members.rows == lines && t.members.columns == n &&
                     (t.masses.rows == 0 || (t.masses.rows == lines && t.masses.columns == n)) &&
                     is_by_bin(t.inside) && is_by_bin(t.outside) && t.chords.rows == bins &&
                     t.chords.columns == 3 + 2 * k && t.counts.rows == 2 && t.counts.columns == k &&
                     (s.codes.columns == 0 || t.counts.depth > 0) &&
                     t.gaps.depth == 2 * s.gaps.columns && t.gaps.rows == 2 && t.gaps.columns == k,
                 "sums by bin are not those of the columns");
}

// Adds to a sum (2, k) in two parts, without rounding in the first.
KG_INLINE void add_compensated(Matrix<double> sums, i64 cluster, double w) {
  const double old = sums[0][cluster], now = old + w, part = now - old;
  sums[1][cluster] += (old - (now - part)) + (w - part);
  sums[0][cluster] = now;
}

// Adds a point to the sums that missing entries need, or with −w takes it away.
KG_INLINE void add_gaps_of(Vector<const double> gaps, const Tables& t, i64 cluster, double w) {
  for (i64 e = 0; e < gaps.n; e++) {
    const bool is_missing = gaps[e] != gaps[e];
    add_compensated(t.gaps[2 * e + is_missing], cluster, is_missing ? w : w * gaps[e]);
  }
}

// Brings the sums of each bin and category up to date after moves. O(columns) per move.
inline void carry_over(const Columns& s, const Tables& t, const Moves& moves) {
  for (i64 m = 0; m < moves.points.n; m++) {
    const i64 point = moves.points[m], source = moves.sources[m], target = moves.targets[m];
    const double w = moves.weights[m];
    for (i64 line = 0; line < s.x.columns; line++) {
      const i64 b = bin_of(s, point, line);
      const double x = s.x[point][line];
      const double left = w * (x - s.low[b]), right = w * (s.high[b] - x);
      const Matrix<double> inside = t.inside[b];
      inside[0][source] -= w;
      inside[1][source] -= left;
      inside[2][source] -= right;
      inside[0][target] += w;
      inside[1][target] += left;
      inside[2][target] += right;
      t.members[line][held_below(s.places[line][point], s.x.rows)] = static_cast<Int32>(target);
    }
    add_compensated(t.totals, source, -w);
    add_compensated(t.totals, target, w);
    for (i64 e = 0; e < s.codes.columns; e++) {
      const Matrix<double> counts = counts_of(s, t, point, e);
      add_compensated(counts, source, -w);
      add_compensated(counts, target, w);
    }
    add_gaps_of(s.gaps.row(point), t, source, -w);
    add_gaps_of(s.gaps.row(point), t, target, w);
  }
}

// From the sums of each bin those of all others, and the chords. O(bins · k).
//
// From bin to bin only positive terms are added, so that no digits cancel however far apart the
// points of a line are. `above` is room for k numbers.
inline void sum_across(const Columns& s, const Tables& t, i64 line, double* __restrict above) {
  const i64 begin = s.first_bin[line], end = s.first_bin[line + 1], k = t.n_clusters();
  memset(t.outside[begin][0], 0, sizeof(double) * 2 * k);
  for (i64 b = begin + 1; b < end; b++) {
    const double step = s.low[b] - s.low[b - 1], gap = s.low[b] - s.high[b - 1];
    const double* inside = t.inside[b - 1][0];
    double* __restrict outside = t.outside[b][0];
    const double* last = t.outside[b - 1][0];
    for (i64 c = 0; c < k; c++) {
      const double before = last[k + c], own = inside[2 * k + c] + gap * inside[c];
      outside[c] = last[c] + (step * before + own);
      outside[k + c] = before + inside[c];
    }
  }
  memset(t.outside[end - 1][2], 0, sizeof(double) * k);
  memset(above, 0, sizeof(double) * k);
  for (i64 b = end - 2; b >= begin; b--) {
    const double step = s.high[b + 1] - s.high[b], gap = s.low[b + 1] - s.high[b];
    const double* inside = t.inside[b + 1][0];
    double* __restrict outside = t.outside[b][0];
    const double* next = t.outside[b + 1][2];
    for (i64 c = 0; c < k; c++) {
      const double behind = next[c], own = inside[k + c] + gap * inside[c];
      above[c] += step * behind + own;
      outside[c] += above[c];
      outside[2 * k + c] = behind + inside[c];
    }
  }
  const double half = -0.5 * s.factors[line];
  for (i64 b = begin; b < end; b++) {
    const double width = s.high[b] - s.low[b];
    const double *inside = t.inside[b][0], *outside = t.outside[b][0];
    double* __restrict chord = t.chords[b];
    double heaviest = 0.0;
    for (i64 c = 0; c < k; c++) heaviest = larger(heaviest, inside[c]);
    for (i64 c = 0; c < k; c++)
      chord[3 + c] = half * (outside[c] + width * outside[2 * k + c] + inside[k + c]);
    for (i64 c = 0; c < k; c++)
      chord[3 + k + c] = half * (outside[c] + width * outside[k + c] + inside[2 * k + c]);
    chord[0] = s.low[b], chord[1] = s.high[b], chord[2] = -2.0 * half * width * heaviest;
  }
}

}  // namespace KG_SET
