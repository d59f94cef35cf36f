// The matrix product of the BLAS that SciPy brings along, for what is worth one.
#pragma once
#include <stdint.h>

namespace kg {

// out (rows, columns) = left (rows, inner) · right (columns, inner)ᵀ; called without Python's lock.
void multiply(const float* left, const float* right, float* out, int64_t rows, int64_t columns,
              int64_t inner);

}  // namespace kg
