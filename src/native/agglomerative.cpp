// Pairwise agglomeration on a condensed vector of distances, by remembered nearest neighbors.
//
// Entry (i, j), i < j, of n points stands at offset(n, i) + j: SciPy's order, rows without gaps.
// A cluster stands where its first point stood.
#include "kernel.hpp"
#include "numbers.hpp"

namespace KG_SET {

// A cluster whose nearest neighbor has to be looked for again.
constexpr i64 UNKNOWN = -1;

// What to add to j > i for the place of (i, j).
KG_INLINE i64 offset(i64 n, i64 i) { return n * i - (i + 1) * (i + 2) / 2; }

template <class T> struct Merging {
  T* __restrict d;
  double* __restrict weights;
  i64 n;
  i64 left;                   // clusters
  i64* __restrict node;       // (n,) the node of the tree that stands at each place
  i64* __restrict clusters;   // (left,) their places, in order
  i64* __restrict near;       // (n,) the nearest neighbor to the right of each place, where known
  double* __restrict bound;   // (n,) its distance, or a lower bound

  // From ρ to factor · e between single points, 2 w_i w_j / (w_i + w_j) · factor · ρ.
  bool weigh(Call& call, double factor) const {
    for (i64 i = 0; i < n; i++) {
      T* __restrict row = d + offset(n, i);
      const double w = weights[i];
      for (i64 j = i + 1; j < n; j++) {
        const double share = 2.0 * w * (weights[j] / (w + weights[j]));
        row[j] = static_cast<T>(share * (factor * row[j]));
      }
      if (must_stop(call, n - i)) return false;
    }
    return true;
  }

  // The first of the clusters from the place `from` on that is nearest to a.
  void find_nearest(i64 a, i64 from) const {
    const T* row = d + offset(n, a);
    i64 best = clusters[from];
    T least = row[best];
    for (i64 place = from + 1; place < left; place++)
      if (row[clusters[place]] < least) best = clusters[place], least = row[best];
    near[a] = best, bound[a] = least;
  }

  // The left one of the nearest pair, whose neighbor is then known; UNKNOWN if the user has
  // interrupted.
  i64 find_pair(Call& call) const {
    while (true) {
      i64 best = 0;
      double least = bound[clusters[0]];
      for (i64 place = 1; place < left - 1; place++)  // the last has nothing to its right
        if (bound[clusters[place]] < least) best = place, least = bound[clusters[place]];
      const i64 a = clusters[best];
      if (near[a] != UNKNOWN) return a;
      find_nearest(a, best + 1);
      if (must_stop(call, 2 * left)) return UNKNOWN;
    }
  }

  void remove(i64 b) {
    i64 place = 0;
    while (clusters[place] != b) place++;
    left--;
    memmove(clusters + place, clusters + place + 1, sizeof(i64) * (left - place));
  }

  // Puts b, which is removed, into a: e of the union with all others by Lance and Williams, and who
  // is nearest.
  void merge(i64 a, i64 b) const {
    const i64 row_a = offset(n, a), row_b = offset(n, b);
    const double between = d[row_a + b], s_a = weights[a], s_b = weights[b];
    near[a] = UNKNOWN, bound[a] = INFINITE;
    for (i64 place = 0; place < left; place++) {
      const i64 c = clusters[place];
      if (c == a) continue;
      const i64 row_c = offset(n, c);
      T& to_a = d[c < a ? row_c + a : row_a + c];
      const double to_b = d[c < b ? row_c + b : row_b + c], s_c = weights[c];
      const double joint = (s_a + s_c) * to_a + (s_b + s_c) * to_b - s_c * between;
      to_a = static_cast<T>(joint / (s_a + s_b + s_c));
      const double changed = to_a;
      if (c > a) {
        if (near[a] == UNKNOWN || changed < bound[a]) near[a] = c, bound[a] = changed;
        if (c < b && near[c] == b) near[c] = UNKNOWN;
      } else if (near[c] == UNKNOWN) {
        bound[c] = smaller(bound[c], changed);
      } else if (changed < bound[c] || (changed == bound[c] && a <= near[c])) {
        near[c] = a, bound[c] = changed;
      } else if (near[c] == a || near[c] == b) {
        near[c] = UNKNOWN;  // and what it was is still a bound
      }
    }
    weights[a] = s_a + s_b;
  }
};

// Merges the nearest pair until one cluster is left; `d`, of ρ, and `weights` are used up.
//
// Of equally near pairs the one with the lowest first, then second, place is taken. Each cluster
// remembers its nearest neighbor to the right, or a lower bound of its distance until it is looked
// for again, which is seldom, as no union comes nearer to others than its parts were: from
// e(A, B) ≤ min(e(A, C), e(B, C)) follows min(e(A, C), e(B, C)) ≤ e(A ∪ B, C), for any ρ. O(n²) in
// practice.
template <class T>
static void agglomerate(Call& call, Vector<T> d, Vector<double> weights, double factor,
                        Matrix<i64> children, Vector<double> heights) {
  const i64 n = weights.n;
  if (!require(call, n > 0 && d.n == n * (n - 1) / 2 && children.rows == n - 1 &&
                         children.columns == 2 && heights.n == n - 1,
               "agglomerate: lengths differ"))
    return;
  Scratch<i64> node(call, n), clusters(call, n), near(call, n);
  Scratch<double> bound(call, n);
  if (!node || !clusters || !near || !bound) return;
  for (i64 i = 0; i < n; i++)
    node[i] = clusters[i] = i, near[i] = UNKNOWN, bound[i] = -INFINITE;
  Merging<T> tree{d.data,        weights.data, n, n, node.data, clusters.data, near.data,
                  bound.data};
  if (!tree.weigh(call, factor)) return;
  for (i64 step = 0; step < n - 1; step++) {
    const i64 a = tree.find_pair(call);
    if (a == UNKNOWN || must_stop(call, 2 * tree.left)) return;
    const i64 b = near[a];
    heights[step] = d[offset(n, a) + b];
    children[step][0] = smaller(node[a], node[b]);
    children[step][1] = larger(node[a], node[b]);
    node[a] = n + step;
    tree.remove(b);
    tree.merge(a, b);
  }
}

KERNELS(agglomerative) = {
    {"agglomerate", run<agglomerate<float>>},
    {"agglomerate", run<agglomerate<double>>},
};
KERNELS_END(agglomerative)

}  // namespace KG_SET
