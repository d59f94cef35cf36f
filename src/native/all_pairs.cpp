// Distances between all points of two sets, kept or applied to a table of sums.
#include "pairs.hpp"

namespace KG_SET {

// Fills out[i][j] with unit · ρ for the rows [start, stop) of x and all columns of out, which are the
// points of the panels. Panels are taken in chunks that stay in the caches.
template <class T, class Out>
static void fill_rows(Call& call, Matrix<const T> x, Cube<const T> panels, const Rule& rule,
                      double unit, i64 chunk, Matrix<Out> out, i64 start, i64 stop) {
  const i64 n = out.columns, group = GROUP<T>;
  if (!require_rule(call, rule, x.columns) ||
      !require(call, panels.rows == x.columns && panels.columns == LANES && chunk > 0 &&
                         out.rows == x.rows && n <= panels.depth * LANES && start >= 0 &&
                         start % group == 0 && stop <= x.rows,
               "fill_rows: lengths of the rows, the panels and the result differ"))
    return;
  const Groups<T> groups(call, x);
  const Scratch<Out> edge(call, group * LANES * smaller(chunk, panels.depth));
  if (!groups.last || !edge) return;
  const T scale = static_cast<T>(unit);
  for (i64 first = 0; first < panels.depth; first += chunk) {
    const i64 last = smaller(first + chunk, panels.depth), left = first * LANES;
    const i64 width = (last - first) * LANES, size = smaller(n - left, width);
    for (i64 row = start; row < stop; row += group) {
      if (size == width && row + group <= stop) {
        fill_group(groups.at(row), panels, first, last, rule, scale, out[row] + left, n);
      } else {
        fill_group(groups.at(row), panels, first, last, rule, scale, edge.data, width);
        for (i64 i = row; i < smaller(row + group, stop) && size > 0; i++)
          memcpy(out[i] + left, &edge[(i - row) * width], sizeof(Out) * size);
      }
      if (must_stop(call, group * size * x.columns)) return;
    }
  }
}

// Fills both triangles of out for the panels [start, stop) of rows, with half the pairs.
template <class T, class Out>
static void fill_symmetric(Call& call, Matrix<const T> x, Cube<const T> panels, const Rule& rule,
                           double unit, Matrix<Out> out, i64 start, i64 stop) {
  const i64 n = out.rows, group = GROUP<T>;
  if (!require_rule(call, rule, x.columns) ||
      !require(call, panels.rows == x.columns && panels.columns == LANES && x.rows == n &&
                         out.columns == n && panels.depth == (n + LANES - 1) / LANES &&
                         start >= 0 && stop <= panels.depth,
               "fill_symmetric: lengths of the rows, the panels and the result differ"))
    return;
  const Groups<T> groups(call, x);
  const Scratch<Out> square(call, LANES * LANES);
  if (!groups.last || !square) return;
  const T scale = static_cast<T>(unit);
  for (i64 p = start; p < stop; p++) {
    const i64 above = p * LANES, height = smaller(n - above, i64{LANES});
    for (i64 q = p; q < panels.depth; q++) {
      const i64 left = q * LANES, width = smaller(n - left, i64{LANES});
      for (i64 row = 0; row < height; row += group)
        fill_group(groups.at(above + row), panels, q, q + 1, rule, scale, &square[row * LANES],
                   LANES);
      for (i64 i = 0; i < height; i++)
        memcpy(out[above + i] + left, &square[i * LANES], sizeof(Out) * width);
      if (q > p)
        for (i64 j = 0; j < width; j++)
          for (i64 i = 0; i < height; i++)
            out[left + j][above + i] = square[i * LANES + j];
      if (must_stop(call, LANES * LANES * x.columns)) return;
    }
  }
}

struct Moves {
  Vector<const double> weights;
  Vector<const i64> sources, targets;
};

// Carries out moves on the columns of the panels [start, stop) of a table of sums; G is factor · ρ.
template <class T>
static void apply_moves(Call& call, Matrix<const T> movers, Cube<const T> panels, const Rule& rule,
                        double factor, const Moves& moves, Matrix<double> table, i64 start,
                        i64 stop) {
  // Panels whose columns a move updates at a time.
  constexpr i64 at_once = 8;
  const i64 n = table.columns, n_moves = movers.rows, group = GROUP<T>;
  if (!require_rule(call, rule, movers.columns) ||
      !require(call, panels.rows == movers.columns && panels.columns == LANES &&
                         n <= panels.depth * LANES && start >= 0 && stop <= panels.depth &&
                         moves.weights.n == n_moves && moves.sources.n == n_moves &&
                         moves.targets.n == n_moves,
               "apply_moves: lengths of the rows, the panels and the table differ") ||
      !require_below(call, moves.sources, table.rows, "apply_moves: a source is out of bounds") ||
      !require_below(call, moves.targets, table.rows, "apply_moves: a target is out of bounds"))
    return;
  const Groups<T> groups(call, movers);
  const Scratch<T> value(call, group * at_once * LANES);
  if (!groups.last || !value) return;
  for (i64 left = start; left < stop; left += at_once) {
    const i64 right = smaller(left + at_once, stop), width = (right - left) * LANES;
    const i64 size = smaller(n - left * LANES, width);
    for (i64 g = 0; g < n_moves; g += group) {
      fill_group(groups.at(g), panels, left, right, rule, T(1), value.data, width);
      for (i64 m = g; m < smaller(g + group, n_moves); m++) {
        const double w = moves.weights[m] * factor;
        const T* __restrict from = value.data + (m - g) * width;
        double* __restrict leave = table[moves.sources[m]] + left * LANES;
        double* __restrict enter = table[moves.targets[m]] + left * LANES;
        for (i64 j = 0; j < size; j++) {
          const double change = w * from[j];
          leave[j] -= change;
          enter[j] += change;
        }
      }
      if (must_stop(call, group * width * movers.columns)) return;
    }
  }
}

KERNELS(all_pairs) = {
    {"fill_rows", run<fill_rows<float, float>>},
    {"fill_rows", run<fill_rows<double, double>>},
    {"fill_rows", run<fill_rows<float, double>>},
    {"fill_rows", run<fill_rows<double, float>>},
    {"fill_symmetric", run<fill_symmetric<float, float>>},
    {"fill_symmetric", run<fill_symmetric<double, double>>},
    {"fill_symmetric", run<fill_symmetric<float, double>>},
    {"fill_symmetric", run<fill_symmetric<double, float>>},
    {"apply_moves", run<apply_moves<float>>},
    {"apply_moves", run<apply_moves<double>>},
};
KERNELS_END(all_pairs)

}  // namespace KG_SET
