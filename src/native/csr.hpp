// Matrices in compressed rows (CSR).
#pragma once
#include "kernel.hpp"
#include "simd.hpp"

namespace KG_SET {

// Of each row its entries, and their columns. Python's Csr.of calls check_csr once for every matrix,
// because a check of all indices in each call would take as long as the calls themselves.
struct Csr {
  Vector<const i64> starts;  // (n + 1,)
  Vector<const int32_t> columns;
  Vector<const double> values;
  i64 n_columns;

  i64 n() const { return starts.n - 1; }
  i64 begin(i64 row) const { return starts[row]; }
  i64 end(i64 row) const { return starts[row + 1]; }
};

// Whether arrays are as long as row starts that rise say.
inline bool has_entries(Vector<const i64> starts, i64 n_columns, i64 n_values) {
  return starts.n > 0 && starts[0] >= 0 && starts[starts.n - 1] <= n_columns &&
         n_columns == n_values;
}

inline bool require_csr(Call& call, const Csr& X) {
  return require(call, has_entries(X.starts, X.columns.n, X.values.n),
                 "lengths of a sparse matrix and its row starts differ");
}

// That row starts rise within the entries, and that columns are below their number.
template <class T>
inline bool require_rows(Call& call, Vector<const i64> starts, Vector<const T> columns,
                         i64 n_columns) {
  bool rises = has_entries(starts, columns.n, columns.n), is_below = true;
  for (i64 row = 1; row < starts.n; row++) rises &= starts[row - 1] <= starts[row];
  for (const T column : columns) is_below &= 0 <= column && column < n_columns;
  if (require(call, rises, "row starts of a sparse matrix do not rise within its entries") &&
      !is_below)
    call.fail(Error::index, "a column of a sparse matrix is out of bounds");
  return rises && is_below;
}

template <int N> struct Several {
  typedef double Type __attribute__((vector_size(N * sizeof(double))));
};
template <> struct Several<1> {
  typedef double Type;
};

// out += a row of X @ right, N columns at a time, whose sums stay in registers.
template <int N>
KG_INLINE void add_row_product(const Csr& X, i64 row, Matrix<const double> right, i64 column,
                               double* __restrict out) {
  constexpr int width = N < Simd<double>::N ? N : Simd<double>::N, parts = N / width;
  typedef typename Several<width>::Type Part;
  const int32_t* __restrict columns = X.columns.data;
  const double* __restrict values = X.values.data;
  const i64 begin = X.begin(row), end = X.end(row);
  for (; column + N <= right.columns; column += N) {
    Part total[parts];
    memcpy(total, out + column, sizeof total);
    for (i64 e = begin; e < end; e++) {
      Part part[parts];
      memcpy(part, right[columns[e]] + column, sizeof part);
      KG_UNROLL for (int p = 0; p < parts; p++) total[p] = total[p] + values[e] * part[p];
    }
    memcpy(out + column, total, sizeof total);
  }
  if constexpr (N > 1) add_row_product<N / 2>(X, row, right, column, out);
}

}  // namespace KG_SET
