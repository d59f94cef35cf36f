// Gains of moves of two points at once, over one piece of G.
#include "hartigan.hpp"

namespace KG_SET {

// The best target of two points of one cluster together, and the gain.
//
// They move as one point that has their weight, the mean of their sums and `own`, which is
// w_a² G_aa + w_b² G_bb + 2 w_a w_b G_ab. `pooled` is room for k numbers.
static Target joint_move(Matrix<const double> left, Matrix<const double> right, i64 row, i64 column,
                         i64 source, double w_a, double w_b, double own, double* pooled,
                         const State& state) {
  const double w = w_a + w_b;
  for (i64 cluster = 0; cluster < left.rows; cluster++)
    pooled[cluster] = (w_a * left[cluster][row] + w_b * right[cluster][column]) / w;
  return best_target({pooled, left.rows, 1}, 0, source, w, own, state);
}

// Change of Q_j/s_j when Q_j grows by `inside` and s_j by `step`; −∞ if s_j vanishes.
static double change_of_one(i64 cluster, double inside, double step, const State& state) {
  const double s = state.weight[cluster];
  if (s <= 0.0 || s + step <= 0.0) return -INFINITE;
  return (inside - step * state.within[cluster] / s) / (s + step);
}

// Change of Q when a point of cluster a and one of cluster b change places.
//
// `own` is w_a² G_aa + w_b² G_bb − 2 w_a w_b G_ab, by which both Q_j grow besides their sums.
static double exchange_gain(Matrix<const double> left, Matrix<const double> right, i64 row,
                            i64 column, i64 a, i64 b, double w_a, double w_b, double own,
                            const State& state) {
  const double step = state.growth * (w_b - w_a);
  const double into_a = 2.0 * (w_b * right[a][column] - w_a * left[a][row]) + own;
  const double into_b = 2.0 * (w_a * left[b][row] - w_b * right[b][column]) + own;
  return change_of_one(a, into_a, step, state) + change_of_one(b, into_b, -step, state);
}

struct Pair {
  i64 row, column, target;
};

// The first point, from row `first`, that gains with a partner behind it, and the best one.
//
// `piece` is G of the points from `start` on with those from `other_start` on, `left` and `right` are
// their sums. The row's point moves to the target, and its partner with it if they share a cluster,
// or to the row's cluster if the partner is in the target. The row is the number of rows if no pair
// gains more than `least`. O(k) a pair of one cluster, O(1) a pair of two.
static Pair find_pair(Call& call, i64 first, i64 start, Matrix<const double> left, i64 other_start,
                      Matrix<const double> right, Matrix<const double> piece,
                      Vector<const double> diagonal, Vector<const double> weights, double least,
                      const State& state) {
  const i64 rows = left.columns, columns = right.columns, n = weights.n, k = left.rows;
  if (!require(call, first >= 0 && rows <= n && start <= n - rows && columns <= n &&
                         other_start <= n - columns && right.rows == k && piece.rows == rows &&
                         piece.columns == columns && diagonal.n == n,
               "find_pair: lengths of the piece and its sums differ") ||
      !is_state(call, state, n, k, start, start + rows) ||
      !is_state(call, state, n, k, other_start, other_start + columns))
    return {};
  Scratch<double> pooled(call, k);
  if (!pooled) return {};
  for (i64 row = first; row < rows; row++) {
    const i64 point = start + row, a = state.labels[point];
    const double w_a = weights[point];
    if (w_a == 0.0) continue;
    const double g_a = w_a * w_a * diagonal[point];
    double most = least;
    Pair best{row, -1, a};
    for (i64 column = larger<i64>(0, point + 1 - other_start); column < columns; column++) {
      const i64 partner = other_start + column, b = state.labels[partner];
      const double w_b = weights[partner];
      // A cluster keeps its last point; an exchange empties none.
      if (w_b == 0.0 || (a == b && state.members[a] <= 2)) continue;
      const double g = g_a + w_b * w_b * diagonal[partner];
      const double cross = 2.0 * w_a * w_b * piece[row][column];
      const Target found =
          a == b ? joint_move(left, right, row, column, a, w_a, w_b, g + cross, pooled.data, state)
                 : Target{b, exchange_gain(left, right, row, column, a, b, w_a, w_b, g - cross,
                                           state)};
      if (found.gain > most) most = found.gain, best = {row, column, found.cluster};
    }
    if (best.column >= 0) return best;
    if (must_stop(call, columns * k)) return {};
  }
  return {rows, 0, 0};
}

// Moves a point, whose G_ii is `own`, and brings the state and its sums (k, 1) up to date.
static void move_point(Call& call, Matrix<double> sums, i64 point, i64 target, double w, double own,
                       const State& state) {
  if (!require(call, point >= 0 && point < state.labels.n && sums.columns == 1 && target >= 0 &&
                         target < sums.rows && state.labels[point] != target,
               "move_point: no such move") ||
      !is_state(call, state, state.labels.n, sums.rows, point, point + 1))
    return;
  carry_out(sums, {&own, 1, 1}, 0, point, target, w, w * w * own, state);
}

KERNELS(pair_moves) = {{"find_pair", run<find_pair>}, {"move_point", run<move_point>}};
KERNELS_END(pair_moves)

}  // namespace KG_SET
