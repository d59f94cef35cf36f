// R_l of one point from sums over bins and categories, exactly or from chords, and G of a panel.
#pragma once
#include "columns.hpp"

namespace KG_SET {

constexpr int LANES = 32;
// So many clusters are looked for all at once among the points of a bin, fewer one by one.
constexpr i64 FEW = 4;

// LANES points, column by column.
struct Panel {
  Matrix<double> x;     // (L, LANES)
  Matrix<Int32> codes;  // (E, LANES)
  Matrix<double> gaps;  // (G, LANES)
};

KG_INLINE void put_into(const Panel& panel, i64 lane, const Columns& s, i64 point) {
  for (i64 d = 0; d < s.x.columns; d++) panel.x[d][lane] = s.x[point][d];
  for (i64 e = 0; e < s.codes.columns; e++) panel.codes[e][lane] = s.codes[point][e];
  for (i64 e = 0; e < s.gaps.columns; e++) panel.gaps[e][lane] = s.gaps[point][e];
}

// G of a point with the LANES points of a panel; each sum is added column by column.
KG_INLINE void find_similarities(const Columns& s, i64 point, const Panel& panel,
                                 double* __restrict out) {
  constexpr int N = Simd<double>::N, PARTS = LANES / N;
  Vec<double> total[PARTS] = {};
  for (i64 d = 0; d < s.x.columns; d++) {
    const Vec<double> x = splat(static_cast<double>(s.x[point][d])), factor = splat(s.factors[d]);
    const double* y = panel.x[d];
    KG_UNROLL for (int i = 0; i < PARTS; i++)
      total[i] = multiply_add(factor, absolute(x - load<double>(y + i * N)), total[i]);
  }
  KG_UNROLL for (int i = 0; i < PARTS; i++) store<double>(out + i * N, total[i]);
  for (i64 g = 0; g + 1 < s.code_groups.n; g++) {
    Int32 count[LANES] = {};
    for (i64 e = s.code_groups[g]; e < s.code_groups[g + 1]; e++) {
      const Int32 own = s.codes[point][e], *codes = panel.codes[e];
      for (int m = 0; m < LANES; m++) count[m] += codes[m] != own;
    }
    const double factor = s.code_factors[s.code_groups[g]];
    for (int m = 0; m < LANES; m++) out[m] += factor * count[m];
  }
  for (int m = 0; m < LANES; m++) out[m] *= -0.5;
  for (i64 e = 0; e < s.gaps.columns; e++) {
    const double own = s.gaps[point][e], *gaps = panel.gaps[e];
    const bool is_missing = own != own;
    for (int m = 0; m < LANES; m++)
      out[m] += is_missing == (gaps[m] != gaps[m]) ? 0.0 : is_missing ? gaps[m] : own;
  }
}

// Adds the sums over columns of categories of one point; `part` is scratch.
KG_INLINE void add_mismatches(const Columns& s, const Tables& t, i64 point,
                              double* __restrict part, double* __restrict out) {
  const i64 k = t.n_clusters();
  const double *total = t.totals[0], *total_rest = t.totals[1];
  for (i64 g = 0; g + 1 < s.code_groups.n; g++) {
    for (i64 c = 0; c < k; c++) part[c] = 0.0;
    for (i64 e = s.code_groups[g]; e < s.code_groups[g + 1]; e++) {
      const Matrix<double> counts = counts_of(s, t, point, e);
      const double *count = counts[0], *rest = counts[1];
      for (i64 c = 0; c < k; c++) part[c] += (total[c] - count[c]) + (total_rest[c] - rest[c]);
    }
    const double half = -0.5 * s.code_factors[s.code_groups[g]];
    for (i64 c = 0; c < k; c++) out[c] += half * part[c];
  }
}

// Adds to the sums of one point what missing entries, its own and those of others, add.
KG_INLINE void add_gaps(Vector<const double> gaps, const Tables& t, double* __restrict out) {
  for (i64 e = 0; e < gaps.n; e++) {
    const bool is_missing = gaps[e] != gaps[e];
    const double g = is_missing ? 1.0 : gaps[e];
    const Matrix<double> of = t.gaps[2 * e + !is_missing];
    for (i64 c = 0; c < t.n_clusters(); c++) out[c] += g * (of[0][c] + of[1][c]);
  }
}

// Σ w |y − x| over the points of one cluster in a bin, in the order of Lanes; w = 1 if there are no
// masses.
template <bool is_weighted>
KG_INLINE double sum_bin(const double* masses, const Int32* members, const double* values, i64 n,
                         double x, Int32 own) {
  constexpr int N = Simd<double>::N;
  typedef Int32 Narrow __attribute__((vector_size(KG_BYTES / 2)));
  const Vec<double> at = splat(x);
  Lanes sum;
  i64 p = 0;
  for (; p + Lanes::N <= n; p += Lanes::N)
    KG_UNROLL for (int i = 0; i < Lanes::PARTS; i++) {
      Narrow member;
      memcpy(&member, members + p + i * N, sizeof member);
      const Vec<i64> is_own = __builtin_convertvector(member, Vec<i64>) == splat<i64>(own);
      const Vec<double> apart = absolute(load<double>(values + p + i * N) - at);
      const Vec<double> kept = (Vec<double>)((Vec<i64>)apart & is_own);
      sum.part[i] = is_weighted
                        ? multiply_add(load<double>(masses + p + i * N), kept, sum.part[i])
                        : sum.part[i] + kept;
    }
  double total = sum.sum();
  for (; p < n; p++) {
    const double apart = members[p] == own ? absolute(values[p] - x) : 0.0;
    total = is_weighted ? multiply_add(masses[p], apart, total) : total + apart;
  }
  return total;
}

// R_l of one point for some clusters, exactly. O(columns · (k + points of a bin)).
//
// What `out` has for the others lacks the point's own bins; `part` is scratch.
KG_INLINE void sum_point(const Columns& s, const Tables& t, i64 point,
                         Vector<const i64> clusters, double* __restrict part,
                         double* __restrict out) {
  const i64 k = t.n_clusters();
  const bool is_weighted = t.has_weights();
  for (i64 c = 0; c < k; c++) out[c] = 0.0;
  for (i64 g = 0; g + 1 < s.groups.n; g++) {
    for (i64 c = 0; c < k; c++) part[c] = 0.0;
    for (i64 line = s.groups[g]; line < s.groups[g + 1]; line++) {
      const i64 b = bin_of(s, point, line);
      const double x = s.x[point][line], left = x - s.low[b], right = s.high[b] - x;
      const double* outside = t.outside[b][0];
      for (i64 c = 0; c < k; c++)
        part[c] += outside[c] + (left * outside[k + c] + right * outside[2 * k + c]);
      if (s.high[b] == s.low[b]) continue;
      const i64 first = s.first[b], n = s.last[b] - first;
      const Int32* members = t.members[line] + first;
      const double* values = s.values[line] + first;
      const double* masses = is_weighted ? t.masses[line] + first : nullptr;
      if (clusters.n < FEW) {
        for (i64 c : clusters) {
          const Int32 own = static_cast<Int32>(c);
          part[c] += is_weighted
                         ? t.mass * sum_bin<true>(masses, members, values, n, x, own)
                         : t.mass * sum_bin<false>(masses, members, values, n, x, own);
        }
      } else {
        for (i64 p = 0; p < n; p++) {
          const double mass = is_weighted ? masses[p] : t.mass;
          part[held_below(members[p], k)] += mass * absolute(values[p] - x);
        }
      }
    }
    const double half = -0.5 * s.factors[s.groups[g]];
    for (i64 c = 0; c < k; c++) out[c] += half * part[c];
  }
  add_mismatches(s, t, point, part, out);
  add_gaps(s.gaps.row(point), t, out);
}

// Numbers that R_l of one point exceeds by no more than what is returned. O(columns · k).
//
// Over a bin each sum is a convex function of x. Its chord is off by at most 2 t (1 − t) (high −
// low) times the weight of a cluster in the bin. All that is needed stands side by side: low, high,
// the largest of these factors, the sums at low and the sums at high.
KG_INLINE double approximate_point(const Columns& s, const Tables& t, i64 point,
                                   double* __restrict part, double* __restrict out) {
  const i64 k = t.n_clusters();
  double above = 0.0;
  for (i64 c = 0; c < k; c++) out[c] = 0.0;
  for (i64 line = 0; line < s.x.columns; line++) {
    const double* chord = t.chords[bin_of(s, point, line)];
    const double low = chord[0], high = chord[1];
    if (high == low) {
      for (i64 c = 0; c < k; c++) out[c] += chord[3 + c];
      continue;
    }
    const double x = s.x[point][line];
    const double left = (high - x) / (high - low), right = (x - low) / (high - low);
    above += chord[2] * left * right;
    for (i64 c = 0; c < k; c++) out[c] += left * chord[3 + c] + right * chord[3 + k + c];
  }
  add_mismatches(s, t, point, part, out);
  add_gaps(s.gaps.row(point), t, out);
  return above;
}

}  // namespace KG_SET
