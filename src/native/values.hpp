// What kernels take: numbers, and arrays that Python owns, as views without a copy.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace KG_SET {

using i64 = int64_t;
using u64 = uint64_t;
using u32 = uint32_t;
using u16 = uint16_t;

// A number in float16, by its bits.
struct Half {
  u16 bits;
};

template <class T> struct Vector {
  T* data;
  i64 n;
  T& operator[](i64 i) const { return data[i]; }
  T* begin() const { return data; }
  T* end() const { return data + n; }
};

// Rows one after another; m[i] is the address of row i.
template <class T> struct Matrix {
  T* data;
  i64 rows, columns;
  T* operator[](i64 i) const { return data + i * columns; }
  Vector<T> row(i64 i) const { return {data + i * columns, columns}; }
};

// Matrices one after another; c[i] is matrix i.
template <class T> struct Cube {
  T* data;
  i64 depth, rows, columns;
  Matrix<T> operator[](i64 i) const { return {data + i * rows * columns, rows, columns}; }
};

}  // namespace KG_SET
