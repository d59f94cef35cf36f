// Intervals of sorted values: their dispersions, and dynamic programs over them.
//
// An interval grows by one value at a time, and every update adds something that is not negative: no
// digits are lost, wherever the origin lies and however small an interval is next to the whole.
// Prefix sums would give any interval at once, and only the digits that their differences leave.
#include "kernel.hpp"
#include "numbers.hpp"

namespace KG_SET {

// Sums over consecutive values; the empty interval has weight 0. `to_left` and `to_right` are
// Σ w |x − end| to its first and its last value; `pairs` is Σ_{x<y} w w |x − y|, or for squares
// Σ w (x − mean)².
struct Interval {
  double weight, to_left, to_right, pairs;
};

struct Choice {
  i64 start;
  double least;
};

template <bool squares> struct Line {
  const double* __restrict x;
  const double* __restrict w;

  // Σ_{x<y} w w ρ(x, y) / Σ w: what an interval adds to W as a cluster.
  static double dispersion(double weight, double pairs) {
    return squares ? pairs : pairs / weight;
  }

  // What a value of weight w adds to `pairs`, for `to_end` = Σ w |x − value|.
  static double more_pairs(double weight, double to_end, double w) {
    return squares ? to_end * (to_end / weight) * (w / (weight + w)) : w * to_end;
  }

  // The interval [start, end) with the values stop..start−1.
  Interval with_left(Interval it, i64 start, i64 stop, i64 end) const {
    for (i64 i = start - 1; i >= stop; i--) {
      if (it.weight > 0.0) {
        it.to_left += it.weight * (x[i + 1] - x[i]);
        it.to_right += w[i] * (x[end - 1] - x[i]);
        it.pairs += more_pairs(it.weight, it.to_left, w[i]);
      }
      it.weight += w[i];
    }
    return it;
  }

  // The interval [start, end) with the values end..stop−1.
  Interval with_right(Interval it, i64 start, i64 end, i64 stop) const {
    for (i64 i = end; i < stop; i++) {
      if (it.weight > 0.0) {
        it.to_right += it.weight * (x[i] - x[i - 1]);
        it.to_left += w[i] * (x[i] - x[start]);
        it.pairs += more_pairs(it.weight, it.to_right, w[i]);
      }
      it.weight += w[i];
    }
    return it;
  }

  // The best start in low..high of a cluster that ends before `end`, and W with it; of equal starts
  // the first. `before[a]` is W of the first a values, and `it` is [high, end): empty for high = end,
  // which is then no choice.
  Choice last_cluster(const Interval& it, i64 low, i64 high, i64 end, const double* before) const {
    double weight = it.weight, to_left = it.to_left, pairs = it.pairs;
    Choice best{high, high < end ? before[high] + dispersion(weight, pairs) : INFINITE};
    for (i64 a = high - 1; a >= low; a--) {
      if (weight > 0.0) {
        to_left += weight * (x[a + 1] - x[a]);
        pairs += more_pairs(weight, to_left, w[a]);
      }
      weight += w[a];
      const double value = before[a] + dispersion(weight, pairs);
      if (value <= best.least) best = {a, value};
    }
    return best;
  }
};

template <bool squares> struct Layer {
  Call& call;
  Line<squares> line;
  const double* before;
  double* best;
  u32* starts;

  // `last_cluster` for each end in first..last; false if the user has interrupted.
  //
  // The start rises with the end, because the cost has the quadrangle inequality: that of the middle
  // divides those of the others. `it` is [min(high, first), first), and grows with its bounds, so
  // that a call costs O(last − first + high − low), and all of them O(n log n).
  bool fill(i64 first, i64 last, i64 low, i64 high, const Interval& it) const {
    if (must_stop(call, 8 * (last - first + high - low + 1))) return false;
    const i64 middle = (first + last) / 2, top = smaller(high, middle);
    const Interval here = line.with_right(it, top, larger(top, first), middle);
    const Choice found = line.last_cluster(here, low, top, middle, before);
    best[middle] = found.least;
    starts[middle] = static_cast<u32>(found.start);
    if (first < middle) {
      const Interval left = line.with_left(it, smaller(high, first), found.start, first);
      if (!fill(first, middle - 1, low, found.start, left)) return false;
    }
    if (middle == last) return true;
    // A start may be the middle itself from now on.
    const i64 beyond = smaller(larger(high, middle), middle + 1);
    return fill(middle + 1, last, found.start, high,
                line.with_right(here, top, beyond, middle + 1));
  }
};

// `best[b]` and `starts[b]` for each end b in first..last: W of the first b values in one cluster more
// than in `before`, and where the last of them starts, in low..high.
static void fill_layer(Call& call, i64 first, i64 last, i64 low, i64 high,
                       Vector<const double> before, Vector<const double> x, Vector<const double> w,
                       bool squares, Vector<double> best, Vector<u32> starts) {
  const i64 n = x.n;
  if (!require(call, w.n == n && best.n == n + 1 && starts.n == n + 1 && 0 <= first &&
                   first <= last && last <= n && 0 <= low && low <= high && high < before.n &&
                   before.n <= n + 1,
               "fill_layer: lengths differ, or a bound is out of range"))
    return;
  const i64 top = smaller(high, first);
  const auto fill = [&]<bool of_squares>(Line<of_squares> line) {
    Layer<of_squares>{call, line, before.data, best.data, starts.data}.fill(
        first, last, low, high, line.with_right({}, top, top, first));
  };
  squares ? fill(Line<true>{x.data, w.data}) : fill(Line<false>{x.data, w.data});
}

// The best start in low..high of a cluster of all the values behind it.
static i64 find_last_start(Call& call, i64 low, i64 high, Vector<const double> before,
                           Vector<const double> x, Vector<const double> w, bool squares) {
  if (!require(call, w.n == x.n && 0 <= low && low <= high && high < before.n && high <= x.n,
               "find_last_start: lengths differ, or a bound is out of range"))
    return 0;
  const auto find = [&](auto line) {
    const Interval rest = line.with_right({}, high, high, x.n);
    return line.last_cluster(rest, low, high, x.n, before.data).start;
  };
  return squares ? find(Line<true>{x.data, w.data}) : find(Line<false>{x.data, w.data});
}

// best[b] = W of the first b values as one cluster, for b = 0..n.
static void fill_prefixes(Call& call, Vector<const double> x, Vector<const double> w, bool squares,
                          Vector<double> best) {
  if (!require(call, w.n == x.n && best.n == x.n + 1, "fill_prefixes: lengths differ")) return;
  const auto fill = [&]<bool of_squares>(Line<of_squares> line) {
    double weight = 0.0, to_right = 0.0, pairs = 0.0;
    best[0] = 0.0;
    for (i64 i = 0; i < x.n; i++) {
      if (i > 0) {
        to_right += weight * (x[i] - x[i - 1]);
        pairs += line.more_pairs(weight, to_right, w[i]);
      }
      weight += w[i];
      best[i + 1] = i > 0 ? line.dispersion(weight, pairs) : 0.0;
    }
  };
  squares ? fill(Line<true>{x.data, w.data}) : fill(Line<false>{x.data, w.data});
}

// sums[i] = Σ_j w_j |x_i − x_j| of sorted values.
static void sum_distances(Call& call, Vector<const double> x, Vector<const double> w,
                          Vector<double> sums) {
  const i64 n = x.n;
  if (!require(call, n > 0 && w.n == n && sums.n == n, "sum_distances: lengths differ")) return;
  double weight = 0.0, to_here = sums[0] = 0.0;
  for (i64 i = 1; i < n; i++) {
    weight += w[i - 1];
    to_here += weight * (x[i] - x[i - 1]);
    sums[i] = to_here;
  }
  weight = to_here = 0.0;
  for (i64 i = n - 2; i >= 0; i--) {
    weight += w[i + 1];
    to_here += weight * (x[i + 1] - x[i]);
    sums[i] += to_here;
  }
}

// Sorted values without repeats and their weights, in place; how many there are.
static i64 merge_equal(Call& call, Vector<double> x, Vector<double> w) {
  if (!require(call, w.n == x.n, "merge_equal: lengths differ")) return 0;
  i64 n = 0;
  for (i64 i = 0; i < x.n; i++) {
    if (w[i] == 0.0) continue;
    if (n > 0 && x[n - 1] == x[i]) {
      w[n - 1] += w[i];
    } else {
      x[n] = x[i], w[n] = w[i];
      n++;
    }
  }
  return n;
}

// Where cells of neighboring values begin, and n; how many numbers that is: at most n_cells + 2.
//
// A cell ends when Σ √(w · gap) over it is a share of the whole, which makes weight times width
// about equal. A gap next to an outlier counts as one share at most, and the share settles soon.
static i64 cut_into_cells(Call& call, Vector<const double> x, Vector<const double> w,
                          Vector<i64> starts) {
  const i64 n = x.n, n_cells = starts.n - 2;
  if (!require(call, n > 0 && w.n == n && n_cells > 0, "cut_into_cells: lengths differ")) return 0;
  double share = INFINITE;
  const auto part = [&](i64 i) { return smaller(share, square_root(w[i] * (x[i + 1] - x[i]))); };
  for (int round = 0; round < 4; round++) {
    double total = 0.0;
    for (i64 i = 0; i < n - 1; i++) total += part(i);
    share = total / static_cast<double>(n_cells);
  }
  i64 count = 1;
  double filled = 0.0;
  starts[0] = 0;
  for (i64 i = 0; i < n - 1; i++) {
    filled += part(i);
    if (filled >= share && count <= n_cells) starts[count++] = i + 1, filled = 0.0;
  }
  starts[count] = n;
  return count + 1;
}

// All layers for each end from `first` on, for any exponent, with no use of monotonicity.
//
// `powers[i][a]` is |x_b − x_a|^α for the last value b of end first + i. `pairs[a]` is
// Σ_{x<y} w w |x − y|^α over [a, first − 1) before and over what ends with the last end after.
// `best[b][l]` is W of the first b values in l + 1 clusters, and `starts` where the last of them
// begins.
static void fill_columns(Call& call, i64 first, Matrix<const double> powers, Vector<const double> w,
                         Vector<double> pairs, Matrix<double> best, Matrix<u32> starts) {
  const i64 n = w.n, n_layers = best.columns;
  if (!require(call, first > 0 && first <= n + 1 && powers.rows <= n + 1 - first &&
                   powers.columns >= first + powers.rows - 1 && pairs.n == n && best.rows == n + 1 && n_layers > 0 && starts.rows == n + 1 &&
                   starts.columns == n_layers,
               "fill_columns: lengths differ, or an end is out of range"))
    return;
  for (i64 end = first; end < first + powers.rows; end++) {
    const double* row = powers[end - first];
    double* __restrict here = best[end];
    u32* __restrict start = starts[end];
    double weight = 0.0, to_end = 0.0, cost = 0.0;
    for (i64 a = end - 1; a >= 0; a--) {
      to_end += w[a] * row[a];
      weight += w[a];
      pairs[a] += w[end - 1] * to_end;
      cost = pairs[a] / weight;
      const double* before = best[a];
      const i64 most = smaller(n_layers - 1, a);
      for (i64 layer = 1; layer <= most; layer++) {
        const double value = before[layer - 1] + cost;
        if (value <= here[layer]) here[layer] = value, start[layer] = static_cast<u32>(a);
      }
    }
    here[0] = cost;
    if (must_stop(call, end * n_layers)) return;
  }
}

KERNELS(one_dimensional) = {
    {"fill_layer", run<fill_layer>},       {"find_last_start", run<find_last_start>},
    {"fill_prefixes", run<fill_prefixes>}, {"sum_distances", run<sum_distances>},
    {"merge_equal", run<merge_equal>},     {"cut_into_cells", run<cut_into_cells>},
    {"fill_columns", run<fill_columns>},
};
KERNELS_END(one_dimensional)

}  // namespace KG_SET
