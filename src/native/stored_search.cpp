// A whole search on a stored matrix: from labels to a one-move optimum in one call.
//
// Moves, their order and the arithmetic are those of visits by blocks, until sums are made anew. What
// is gone are the calls in between, which take most of the time as long as there are few points.
#include "hartigan.hpp"
#include "stored.hpp"

namespace KG_SET {

// How a search ended: no point moves; no sweep is left; only fresh sums can say whether a point
// moves; or rounding is in doubt.
enum Ended : i64 { CONVERGED, MAX_ITER, WORN, DOUBTFUL };

// The matrix, and the weights of its points.
template <class T> struct Stored {
  Matrix<const T> matrix;
  double scale;
  Vector<const double> shift, diagonal, weights;
  double heaviest;
};

// The moves of one block of points, to be carried out on all other columns.
struct Block {
  i64 points[COLUMNS];
  double weights[COLUMNS];
  i64 sources[COLUMNS], targets[COLUMNS];

  Moves moves() const {
    return {{points, COLUMNS}, {weights, COLUMNS}, {sources, COLUMNS}, {targets, COLUMNS}};
  }
};

template <class T>
static bool fits(Call& call, const Stored<T>& G, Matrix<const double> table, const State& state) {
  const i64 n = G.weights.n;
  return require(call, G.matrix.rows == n && G.matrix.columns == n && G.shift.n == n &&
                           G.diagonal.n == n && table.columns == n, "lengths of a matrix differ") &&
         is_state(call, state, n, table.rows, 0, n);
}

// Members, s_j and Q_j from the labels and their sums; Q of one cluster.
template <class T>
static double add_up(const Stored<T>& G, Matrix<const double> table, const State& state) {
  const i64 k = table.rows;
  double everything = 0.0, total = 0.0;
  for (i64 cluster = 0; cluster < k; cluster++)
    state.members[cluster] = 0, state.weight[cluster] = state.within[cluster] = 0.0;
  for (i64 i = 0; i < G.weights.n; i++) {
    const double w = G.weights[i];
    const i64 cluster = state.labels[i];
    total += w;
    state.weight[cluster] += w;
    state.within[cluster] += w * table[cluster][i];
    if (!(w > 0.0)) continue;
    state.members[cluster] += 1;
    for (i64 other = 0; other < k; other++) everything += w * table[other][i];
  }
  return everything / total;
}

// Q = Σ Q_j/s_j, and Σ |Q_j/s_j|.
struct Heights {
  double value = 0.0, size = 0.0;
};
static Heights heights(const State& state) {
  Heights all;
  for (i64 cluster = 0; cluster < state.weight.n; cluster++) {
    if (!(state.weight[cluster] > 0.0)) continue;
    const double part = state.within[cluster] / state.weight[cluster];
    all.value += part;
    all.size += absolute(part);
  }
  return all;
}

// The state that belongs to fresh sums.
template <class T>
static void begin(const Stored<T>& G, Matrix<const double> table, const State& state) {
  add_up(G, table, state);
  state.held_back[0] = 0;
  for (i64 cluster = 0; cluster < table.rows; cluster++) {
    state.peak[cluster] = state.weight[cluster];
    state.reach[cluster] = absolute(state.within[cluster]);
  }
}

template <class T>
KG_INLINE void carry_out(const Stored<T>& G, const Block& block, i64 first, i64 last,
                         Matrix<double> table, i64 start, i64 stop) {
  carry_out(G.matrix, G.scale, G.shift, block.moves(), first, last, table, start, stop);
}

// Visits the points [start, stop) in order and moves each that gains more than `least`.
//
// Brings the sums of these points up to date, and leaves those of all others. Number of moves.
template <class T>
static i64 visit_block(const Stored<T>& G, Matrix<double> table, double least, const State& state,
                       Block& block, i64 start, i64 stop) {
  const Matrix<const double> sums{table.data, table.rows, table.columns};
  i64 count = 0;
  for (i64 point = start; point < stop; point++) {
    const double w = G.weights[point];
    const i64 source = state.labels[point];
    if (w == 0.0 || state.members[source] == 1) continue;
    const double g = w * w * G.diagonal[point];
    const Target best = best_target(sums, point, source, w, g, state);
    if (!(best.gain > least)) continue;
    if (!is_sound(sums, point, best.cluster, point, w, g, best.gain - least, state)) continue;
    transfer(sums, point, point, best.cluster, w, g, state);
    block.points[count] = point, block.weights[count] = w;
    block.sources[count] = source, block.targets[count] = best.cluster;
    carry_out(G, block, count, count + 1, table, start, stop);
    count++;
  }
  return count;
}

// Visits every point once, block by block. Number of moves.
//
// Sums of other blocks wait until a block is done: rows of the matrix come from far, and sums should
// not.
template <class T>
static i64 sweep(Call& call, const Stored<T>& G, Matrix<double> table, double least,
                 const State& state) {
  const i64 n = G.weights.n;
  Block block;
  i64 moved = 0;
  for (i64 start = 0; start < n; start += COLUMNS) {
    const i64 stop = smaller(start + COLUMNS, n);
    const i64 count = visit_block(G, table, least, state, block, start, stop);
    carry_out(G, block, 0, count, table, 0, start);
    carry_out(G, block, 0, count, table, stop, n);
    moved += count;
    if (must_stop(call, (stop - start) * table.rows + count * n)) break;
  }
  return moved;
}

// Whether rounding in the sums may have made a gain of `least`, or hidden one.
//
// See Drift in solvers/drift.py; here for the largest weight of all points, and for sums that were no
// larger than now times what a cluster has lost in weight.
template <class T>
static bool has_drifted(const Stored<T>& G, Matrix<const double> table, i64 n_moves, double least,
                        const State& state) {
  // Roundings that one update leaves in a gain, counted generously.
  constexpr double roundings = 8.0 * EPSILON;
  if (state.held_back[0] > 0) return true;
  for (i64 cluster = 0; cluster < table.rows; cluster++) {
    const double s = state.weight[cluster];
    if (s <= 0.0) continue;
    if (is_worn(cluster, state)) return true;
    double largest = 0.0;
    for (i64 i = 0; i < G.weights.n; i++)
      largest = larger(largest, absolute(G.weights[i] * table[cluster][i]));
    const double rest = state.members[cluster] > 1 ? s - G.heaviest : s;
    if (!(rest > 0.0)) return true;
    double error = 4.0 * largest * (state.peak[cluster] / s) / rest;
    error += state.reach[cluster] * (G.heaviest / (s * rest) + 1.0 / s);
    if (!(static_cast<double>(n_moves) * roundings * error <= least)) return true;
  }
  return false;
}

// See has_lost_digits in solvers/drift.py; also whether a cluster is empty.
static bool has_lost_digits(const State& state) {
  double lost = 0.0, size = 0.0;
  for (i64 cluster = 0; cluster < state.weight.n; cluster++) {
    const double s = state.weight[cluster];
    if (state.members[cluster] == 0 || state.peak[cluster] > LIGHTER * s) return true;
    lost += state.reach[cluster] / s;
    size += absolute(state.within[cluster] / s);
  }
  return state.rounding * lost > DIGITS * size;
}

// Q_j = w_i² G_ii where a point is alone, whose sums may hold the rounding of others.
template <class T> static void set_singletons(const Stored<T>& G, const State& state) {
  for (i64 i = 0; i < G.weights.n; i++) {
    const i64 cluster = state.labels[i];
    const double w = G.weights[i];
    if (w > 0.0 && state.members[cluster] == 1) state.within[cluster] = w * w * G.diagonal[i];
  }
}

struct Outcome {
  i64 ended, n_sweeps, n_moves;
  double together;  // Q of one cluster
  i64 since;        // moves since the sums were made
};

// Sweeps until no point moves, or until `history` is full; `done` sweeps are behind it.
//
// `table` holds the sums of the labels, made `since` moves ago; of fresh ones the state is yet to be
// made. O(nk) per sweep, O(n) per move.
template <class T>
static Outcome search_stored(Call& call, const Stored<T>& G, Matrix<double> table, double tol,
                             const State& state, Vector<double> history, i64 done, i64 since) {
  const Matrix<const double> sums{table.data, table.rows, table.columns};
  if (!fits(call, G, sums, state) ||
      !require(call, done >= 0 && done < history.n - 1 && since >= 0 && since <= INT64_MAX / 2,
               "search_stored: no sweep is left"))
    return {};
  if (since == 0) begin(G, sums, state);
  Heights now = heights(state);
  history[done] = now.value;
  i64 n_moves = 0, ended = CONVERGED;
  while (true) {
    const double least = tol * now.size;
    const i64 moved = sweep(call, G, table, least, state);
    if (call.error != Error::none) return {};
    n_moves += moved;
    since += moved;
    if (since > 0 && moved == 0 && has_drifted(G, sums, since, least, state))
      return {WORN, done, n_moves, 0.0, since};
    done++;
    now = heights(state);
    history[done] = now.value;
    if (moved == 0) break;
    if (done == history.n - 1) {
      const bool is_doubtful = has_drifted(G, sums, since, tol * now.size, state);
      ended = is_doubtful ? DOUBTFUL : MAX_ITER;
      break;
    }
  }
  const double together = add_up(G, sums, state);
  if (has_lost_digits(state)) ended = DOUBTFUL;
  set_singletons(G, state);
  return {ended, done, n_moves, together, since};
}

// Moves some points to one cluster, O(n) each, and brings state and sums up to date.
template <class T>
static void move_to_cluster(Call& call, const Stored<T>& G, Matrix<double> table,
                            Vector<const i64> points, i64 target, const State& state) {
  const Matrix<const double> sums{table.data, table.rows, table.columns};
  const i64 n = G.weights.n;
  if (!fits(call, G, sums, state) ||
      !require(call, target >= 0 && target < table.rows, "move_to_cluster: no such cluster") ||
      !require_below(call, points, n, "move_to_cluster: a point is out of bounds"))
    return;
  for (i64 point : points) {
    const double w = G.weights[point];
    const i64 source = state.labels[point];
    transfer(sums, point, point, target, w, w * w * G.diagonal[point], state);
    const Moves moves{{&point, 1}, {&w, 1}, {&source, 1}, {&target, 1}};
    carry_out(G.matrix, G.scale, G.shift, moves, 0, 1, table, 0, n);
    if (must_stop(call, n)) return;
  }
}

KERNELS(stored_search) = {
    {"search_stored", run<search_stored<float>>},
    {"search_stored", run<search_stored<double>>},
    {"move_to_cluster", run<move_to_cluster<float>>},
    {"move_to_cluster", run<move_to_cluster<double>>},
};
KERNELS_END(stored_search)

}  // namespace KG_SET
