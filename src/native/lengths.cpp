// Squared lengths of rows.
#include "pairs.hpp"

namespace KG_SET {

// Sets out[i] to ‖x_i‖² for the rows [start, stop), added up in float64.
template <class T>
static void add_squares(Call& call, Matrix<const T> rows, i64 start, i64 stop,
                        Vector<double> out) {
  if (!require(call, out.n == rows.rows && start >= 0 && stop <= rows.rows,
               "add_squares: lengths of the rows and the result differ"))
    return;
  for (i64 i = start; i < stop; i++) {
    const T* __restrict row = rows[i];
    Doubles lanes[LANES / DOUBLES] = {};
    for (i64 d = 0; d < rows.columns; d += LANES) {
      // Zeros fill up the last lanes.
      T x[LANES] = {};
      memcpy(x, row + d, sizeof(T) * smaller(rows.columns - d, i64{LANES}));
      double wide[LANES];
      for (int j = 0; j < LANES; j++) wide[j] = as_double(x[j]);
      KG_UNROLL for (int v = 0; v < LANES / DOUBLES; v++) {
        const Doubles some = load<double>(wide + v * DOUBLES);
        lanes[v] = multiply_add(some, some, lanes[v]);
      }
    }
    out[i] = sum_lanes(lanes);
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
