"""The functions φ in ρ(x, y) = φ(Σ_d δ(x_d, y_d)), chosen by code.

Exponentials and powers are spelled out in additions and multiplications, in float64 for all types,
so that compilers vectorize them; calling the system's function takes ten times as long.
"""

from collections.abc import Callable, Sequence
from math import factorial

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core.base import BaseContext
from numba.core.typing import Signature
from numba.core.typing.context import BaseContext as TypingContext
from numba.extending import intrinsic

from kgroups.runtime.jit import jit, jit_fma
from kgroups.semimetrics.codes import DAMPED, GAUSSIAN, LAPLACIAN, POWER, SCALE, SINE
from kgroups.typing import FloatArray

_LOG2_E = 1 / np.log(2)
# ln 2 in two parts, the first with zeros at its end, so that n · _LN2_HIGH is exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LEAST_NORMAL = float(np.finfo(np.float64).tiny)
_ROOT_HALF = np.sqrt(0.5).view(np.int64)
# Times this, subnormal numbers are normal.
_LIFT = 2.0**64
# Divisors that are 0 by underflow.
_LEAST = 5e-324
# Series of (e^r − 1 − r)/r² and of (artanh s − s)/s³ in s², the last terms first. Loops over them
# are unrolled.
_EXPONENTIAL = tuple(1.0 / factorial(m) for m in range(13, 1, -1))
_ARTANH = tuple(1.0 / m for m in range(23, 1, -2))


def _bitcast(kind: ir.Type) -> Callable[..., ir.Value]:
    """Code that reads the bits of its argument as another type of the same size."""

    def code(
        _context: BaseContext,
        builder: ir.IRBuilder,
        _signature: Signature,
        arguments: Sequence[ir.Value],
    ) -> ir.Value:
        """The instruction that reinterprets the bits."""
        return builder.bitcast(arguments[0], kind)

    return code


@intrinsic
def _compiled_float(
    typing_context: TypingContext, bits: types.Type
) -> tuple[Signature, Callable[..., ir.Value]]:
    return types.float64(types.int64), _bitcast(ir.DoubleType())


@intrinsic
def _compiled_bits(
    typing_context: TypingContext, number: types.Type
) -> tuple[Signature, Callable[..., ir.Value]]:
    return types.int64(types.float64), _bitcast(ir.IntType(64))


def _plain_float(bits: int | np.int64) -> np.float64:
    return np.int64(bits).view(np.float64)


def _plain_bits(number: float | np.float64) -> np.int64:
    return np.float64(number).view(np.int64)


float_of = _plain_float if config.DISABLE_JIT else _compiled_float
bits_of = _plain_bits if config.DISABLE_JIT else _compiled_bits


@jit_fma
def split_exp(x: float) -> tuple[float, float]:
    """(2^n, e^r − 1) with e^x = 2^n e^r and |r| ≤ ln(2)/2, for x < 708; below −708 as at −708.

    13 terms of the series of e^r are exact to rounding there.
    """
    x = max(x, -708.0)
    n = np.rint(x * _LOG2_E)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    p = _EXPONENTIAL[0]
    for c in _EXPONENTIAL[1:]:
        p = p * r + c
    return float_of((np.int64(n) + 1023) << 52), p * (r * r) + r


@jit_fma
def exp_minus_one(x: float) -> float:
    """e^x − 1, to two roundings also near zero."""
    scale, p = split_exp(x)
    return scale * p + (scale - 1.0)


@jit_fma
def log(t: float) -> tuple[float, float]:
    """log t as two parts to be added, for positive numbers that are not subnormal.

    t = 2^e m with m between √½ and √2; ln m = 2 artanh s with s = (m − 1)/(m + 1).
    """
    bits = bits_of(t)
    exponent = (bits - _ROOT_HALF) >> 52
    m = float_of(bits - (exponent << 52))
    e = np.float64(exponent)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = _ARTANH[0]
    for c in _ARTANH[1:]:
        p = p * z + c
    log_m = 2.0 * (s + s * (z * p))
    return e * _LN2_HIGH, log_m + e * _LN2_LOW


@jit_fma
def power(t: float, exponent: float) -> float:
    """t^exponent for t ≥ 0 and an exponent in (0, 1], to about |ln t| roundings."""
    high, low = log(t)
    scale, p = split_exp(exponent * (high + low))
    raised = scale * p + scale
    # Zero, infinity and NaN stay what they are, and subnormal numbers are left to the caller.
    return raised if (t >= _LEAST_NORMAL) & (t < np.inf) else t


@jit
def raise_all(out: FloatArray, exponent: float) -> None:
    """Replace each t ≥ 0 in out by t^exponent, for an exponent in (0, 1]."""
    subnormal = np.int64(0)
    for j in range(out.shape[0]):
        subnormal += np.int64((out[j] > 0.0) & (out[j] < _LEAST_NORMAL))
    if subnormal > 0:
        for j in range(out.shape[0]):
            is_small = out[j] < _LEAST_NORMAL
            lifted = power(out[j] * _LIFT, exponent) * _LIFT**-exponent
            out[j] = lifted if is_small else power(out[j], exponent)
        return
    for j in range(out.shape[0]):
        out[j] = power(out[j], exponent)


@jit_fma
def damped(t: float) -> float:
    """t exp(−√t / 2), which is 0 where no normal number is as small as the exponential."""
    x = -0.5 * np.sqrt(t)
    scale, p = split_exp(x)
    return t * (scale * p + scale) if x >= -708.0 else 0.0


@jit
def transform(out: FloatArray, phi: int, parameter: float) -> None:
    """Replace each sum t in out by φ(t)."""
    size = out.shape[0]
    p = out.dtype.type(parameter)
    if phi == POWER:
        raise_all(out, parameter)
    elif phi == SCALE:
        for j in range(size):
            out[j] *= p
    elif phi == LAPLACIAN:
        width = max(2.0 * parameter, _LEAST)
        for j in range(size):
            out[j] = -2.0 * exp_minus_one(-np.sqrt(np.float64(out[j])) / width)
    elif phi == GAUSSIAN:
        width = max(2.0 * parameter * parameter, _LEAST)
        for j in range(size):
            out[j] = -2.0 * exp_minus_one(-out[j] / width)
    elif phi == DAMPED:
        for j in range(size):
            out[j] = damped(np.float64(out[j]))
    elif phi == SINE:
        for j in range(size):
            out[j] *= p * np.sin(np.sqrt(out[j]) / p)
    else:
        for j in range(size):
            out[j] = 2 * p * np.arcsin(min(out.dtype.type(1), np.sqrt(out[j]) / 2))
