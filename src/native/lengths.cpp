// Squared lengths of rows.
#include "pairs.hpp"

namespace KG_SET {

template <class T, int N> KG_INLINE void add_squares_to(Doubles (&lanes)[N], const T* x) {
  KG_UNROLL for (int v = 0; v < N; v++) {
    const Doubles some = load_wide(x + v * DOUBLES);
    lanes[v] = multiply_add(some, some, lanes[v]);
  }
}

// Sets out[i] to ‖x_i‖² for the rows [start, stop), added up in float64.
template <class T>
static void add_squares(Call& call, Matrix<const T> rows, i64 start, i64 stop,
                        Vector<double> out) {
  if (!require(call, out.n == rows.rows && start >= 0 && stop <= rows.rows,
               "add_squares: lengths of the rows and the result differ"))
    return;
  for (i64 i = start; i < stop; i++) {
    const T* __restrict row = rows[i];
    // 32 lanes, then eight, then one number after another.
    Doubles lanes[LANES / DOUBLES] = {};
    Lanes eight;
    i64 d = 0;
    for (; d + LANES <= rows.columns; d += LANES) add_squares_to(lanes, row + d);
    for (; d + Lanes::N <= rows.columns; d += Lanes::N) add_squares_to(eight.part, row + d);
    double sum = sum_lanes(lanes) + eight.sum();
    for (; d < rows.columns; d++) sum = multiply_add(as_double(row[d]), as_double(row[d]), sum);
    out[i] = sum;
    if (must_stop(call, rows.columns)) return;
  }
}

KERNELS(lengths) = {
    {"add_squares", run<add_squares<float>>},
    {"add_squares", run<add_squares<double>>},
    {"add_squares", run<add_squares<Half>>},
};
KERNELS_END(lengths)

}  // namespace KG_SET
