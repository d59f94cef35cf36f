// The codes of kgroups.semimetrics.codes: what one coordinate adds, and the function of the sum.
#pragma once
#include "values.hpp"

namespace KG_SET {

enum Form : i64 { SQUARED, ABSOLUTE, MISMATCH, PRODUCT, SHANNON, GAPS };
enum Function : i64 { POWER, SCALE, LAPLACIAN, GAUSSIAN, DAMPED, SINE, ARC };

}  // namespace KG_SET
