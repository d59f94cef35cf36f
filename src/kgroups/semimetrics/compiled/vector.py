"""The innermost loop over pairs, written in vectors: some rows against panels of 32 points.

A *panel* holds 32 points coordinate by coordinate, so that one load reads one coordinate of all
32. A few rows are compared with a panel at once, and all their partial sums stay in registers.
Compilers do not find this form by themselves, so it is spelled out in LLVM's vector types, which
every processor supports in some width.

Three functions share one body: :func:`fill` writes φ(Σ_d δ) of each pair, :func:`add_up` adds it to
the sums of both the row and the column, :func:`add_across` to that of the row only.

With the compiler switched off, NumPy functions replace them.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing import Signature
from numba.core.typing.context import BaseContext as TypingContext
from numba.extending import intrinsic
from numpy.typing import DTypeLike

from kgroups.semimetrics.codes import ABSOLUTE, MISMATCH, PRODUCT, ROOT_POWERS, SQUARED
from kgroups.typing import Float64Array, FloatArray

LANES = 32
# Below this share of ‖x‖² + ‖y‖² a squared distance has lost digits: it is computed by differences.
CANCELED = 1 / 16
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)


@lru_cache
def rows_at_once(dtype: DTypeLike) -> int:
    """Number of rows whose sums with 32 points fit the registers of this processor."""
    wide = binding.get_host_cpu_features().get("avx512f", False)
    single = np.dtype(dtype) == np.float32
    return (8 if single else 4) if wide else (2 if single else 1)


class _Tile:
    """Builds the code for a few rows against one panel."""

    def __init__(self, builder: ir.IRBuilder, scalar: types.Type) -> None:
        self.builder = builder
        self.scalar = ir.FloatType() if scalar == types.float32 else ir.DoubleType()
        self.vector = ir.VectorType(self.scalar, LANES)
        self.sums = [
            cgutils.alloca_once(builder, self.vector) for _ in range(rows_at_once(str(scalar)))
        ]
        self.kind = f"v{LANES}f{32 if scalar == types.float32 else 64}"
        self.align = 4 if scalar == types.float32 else 8

    def function(self, name: str, n_arguments: int) -> Callable[..., ir.Value]:
        """An LLVM intrinsic on whole vectors."""
        kind = ir.FunctionType(self.vector, [self.vector] * n_arguments)
        made = cgutils.get_or_insert_function(self.builder.module, kind, f"{name}.{self.kind}")
        return lambda *arguments: self.builder.call(made, arguments)

    def constant(self, value: float) -> ir.Constant:
        """A constant in all lanes."""
        return ir.Constant(self.vector, [value] * LANES)

    def zeros(self) -> list[ir.Value]:
        """A place for one vector of sums per row, set to 0."""
        places = [cgutils.alloca_once(self.builder, self.vector) for _ in self.sums]
        for place in places:
            self.builder.store(self.constant(0.0), place)
        return places

    def splat(self, scalar: ir.Value) -> ir.Value:
        """A scalar in all lanes."""
        nothing = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(nothing, scalar, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, nothing, lanes)

    def load(self, pointer: ir.Value, offset: ir.Value) -> ir.Value:
        """Load 32 numbers of an array."""
        return self.builder.load(self.at(pointer, offset, self.vector), align=self.align)

    def at(self, pointer: ir.Value, offset: ir.Value, kind: ir.Type) -> ir.Value:
        """The address of a vector inside an array."""
        return self.builder.bitcast(self.builder.gep(pointer, [offset]), kind.as_pointer())

    def widened(self, vector: ir.Value) -> ir.Value:
        """The numbers converted to float64."""
        return vector if self.vector == _DOUBLES else self.builder.fpext(vector, _DOUBLES)

    def add_lanes(self, vector: ir.Value, address: ir.Value) -> None:
        """Add all lanes to a number in float64, reassociated because a serial sum is slow."""
        b = self.builder
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _DOUBLES])
        name = f"llvm.vector.reduce.fadd.v{LANES}f64"
        reduce = cgutils.get_or_insert_function(b.module, kind, name)
        total = b.call(reduce, (b.load(address), self.widened(vector)), fastmath=("reassoc",))
        b.store(total, address)

    def entry(self, x: ir.Value, stride: ir.Value, row: int, d: ir.Value) -> ir.Value:
        """Coordinate d of a row, in all lanes."""
        b = self.builder
        return self.splat(b.load(b.gep(x, [b.add(b.mul(stride, _integer(row)), d)])))

    def accumulate(
        self,
        x: ir.Value,
        panel: ir.Value,
        stride: ir.Value,
        start: ir.Value,
        stop: ir.Value,
        form: int,
    ) -> None:
        """Set sums[i] to the sum of one form over the coordinates [start, stop)."""
        b, fma = self.builder, self.function("llvm.fma", 3)
        absolute = self.function("llvm.fabs", 1)
        for total in self.sums:
            b.store(self.constant(0.0), total)
        with cgutils.for_range_slice(b, start, stop, _integer(1)) as (d, _):
            column = self.load(panel, b.mul(d, _integer(LANES)))
            for i, total in enumerate(self.sums):
                entry, before = self.entry(x, stride, i, d), b.load(total)
                if form == PRODUCT:
                    after = fma(entry, column, before)
                elif form == SQUARED:
                    t = b.fsub(column, entry)
                    after = fma(t, t, before)
                elif form == ABSOLUTE:
                    after = b.fadd(before, absolute(b.fsub(column, entry)))
                else:
                    differs = b.fcmp_unordered("!=", column, entry)
                    after = b.fadd(before, b.uitofp(differs, self.vector))
                b.store(after, total)

    def expand(
        self, x: ir.Value, panel: ir.Value, stride: ir.Value, start: ir.Value, stop: ir.Value
    ) -> None:
        """Compute ‖x‖² + ‖y‖² − 2xy, by differences where that cancels; norms are at ``stop``."""
        b, fma = self.builder, self.function("llvm.fma", 3)
        self.accumulate(x, panel, stride, start, stop, PRODUCT)
        norms = self.load(panel, b.mul(stop, _integer(LANES)))
        canceled = None
        for i, total in enumerate(self.sums):
            both = b.fadd(norms, self.entry(x, stride, i, stop))
            squared = fma(self.constant(-2.0), b.load(total), both)
            b.store(squared, total)
            low = b.fcmp_unordered("<", squared, b.fmul(both, self.constant(CANCELED)))
            canceled = low if canceled is None else b.or_(canceled, low)
        lanes = b.bitcast(canceled, ir.IntType(LANES))
        with b.if_then(
            b.icmp_unsigned("!=", lanes, ir.Constant(ir.IntType(LANES), 0)), likely=False
        ):
            self.accumulate(x, panel, stride, start, stop, SQUARED)

    def bring_together(
        self,
        x: ir.Value,
        panel: ir.Value,
        stride: ir.Value,
        start: ir.Value,
        stop: ir.Value,
        form: ir.Value,
    ) -> None:
        """Compute the sums in a form that is chosen at run time."""
        end = self.builder.append_basic_block("together")
        choice = self.builder.switch(form, end)
        for code in (SQUARED, ABSOLUTE, MISMATCH, PRODUCT):
            block = self.builder.append_basic_block(f"form{code}")
            choice.add_case(_integer(code), block)
            self.builder.position_at_end(block)
            if code == PRODUCT:
                self.expand(x, panel, stride, start, stop)
            else:
                self.accumulate(x, panel, stride, start, stop, code)
            self.builder.branch(end)
        self.builder.position_at_end(end)

    def raise_to(self, power: ir.Value) -> None:
        """Raise each sum to the power with a given index in ROOT_POWERS."""
        b, sqrt = self.builder, self.function("llvm.sqrt", 1)
        with b.if_then(b.icmp_signed(">", power, _integer(0))):
            for total in self.sums:
                b.store(sqrt(b.load(total)), total)
            with b.if_then(b.icmp_signed("==", power, _integer(2)), likely=False):
                for total in self.sums:
                    b.store(sqrt(b.load(total)), total)
            with b.if_then(b.icmp_signed("==", power, _integer(3)), likely=False):
                for total in self.sums:
                    root = b.load(total)
                    b.store(b.fmul(root, sqrt(root)), total)


@intrinsic
def _fill(
    typing_context: TypingContext,
    x: types.Type,
    row: types.Type,
    panels: types.Type,
    first: types.Type,
    last: types.Type,
    start: types.Type,
    stop: types.Type,
    form: types.Type,
    power: types.Type,
    out: types.Type,
) -> tuple[Signature, Callable[..., ir.Value]]:
    integer = types.int64
    signature = types.void(x, integer, panels, *[integer] * 6, out)

    def code(
        context: BaseContext, b: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        """The loop that writes one tile of distances after another."""
        at = _addresses(context, b, signature, arguments)
        row, first, last, start, stop, form, power = (arguments[i] for i in (1, 3, 4, 5, 6, 7, 8))
        stride = _width(context, b, signature.args[0], arguments[0])
        tile = _Tile(b, x.dtype)
        x_at = b.gep(at[0], [b.mul(row, stride)])
        width = b.mul(b.sub(last, first), _integer(LANES))
        with cgutils.for_range_slice(b, first, last, _integer(1)) as (number, _):
            panel = b.gep(at[2], [b.mul(number, b.mul(stride, _integer(LANES)))])
            tile.bring_together(x_at, panel, stride, start, stop, form)
            tile.raise_to(power)
            place = b.mul(b.sub(number, first), _integer(LANES))
            for i, total in enumerate(tile.sums):
                address = tile.at(at[9], b.add(b.mul(width, _integer(i)), place), tile.vector)
                b.store(b.load(total), address, align=tile.align)
        return context.get_dummy_value()

    return signature, code


@intrinsic
def _add_up(
    typing_context: TypingContext,
    x: types.Type,
    weights: types.Type,
    row: types.Type,
    own: types.Type,
    panels: types.Type,
    first: types.Type,
    last: types.Type,
    other: types.Type,
    start: types.Type,
    stop: types.Type,
    form: types.Type,
    power: types.Type,
    table: types.Type,
) -> tuple[Signature, Callable[..., ir.Value]]:
    integer = types.int64
    signature = types.void(x, weights, integer, integer, panels, *[integer] * 7, table)

    def code(
        context: BaseContext, b: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        """The loop that adds one tile of distances after another to the sums."""
        at = _addresses(context, b, signature, arguments)
        row, own, first, last, other = (arguments[i] for i in (2, 3, 5, 6, 7))
        start, stop, form, power = arguments[8:12]
        stride = _width(context, b, signature.args[0], arguments[0])
        n = _width(context, b, signature.args[12], arguments[12])
        tile = _Tile(b, x.dtype)
        fma = tile.function("llvm.fma", 3)
        x_at = b.gep(at[0], [b.mul(row, stride)])
        of_columns = b.gep(at[12], [b.mul(own, n)])
        of_rows = b.gep(at[12], [b.add(b.mul(other, n), row)])
        across = tile.zeros()
        row_weights = [
            tile.splat(b.load(b.gep(at[1], [b.add(row, _integer(i))])))
            for i in range(len(tile.sums))
        ]
        with cgutils.for_range_slice(b, first, last, _integer(1)) as (number, _):
            panel = b.gep(at[4], [b.mul(number, b.mul(stride, _integer(LANES)))])
            tile.bring_together(x_at, panel, stride, start, stop, form)
            tile.raise_to(power)
            place = b.mul(number, _integer(LANES))
            column_weights = tile.load(at[1], place)
            down = tile.constant(0.0)
            for weight, value_at, total in zip(row_weights, tile.sums, across, strict=True):
                value = b.load(value_at)
                b.store(fma(value, column_weights, b.load(total)), total)
                down = fma(value, weight, down)
            address = tile.at(of_columns, place, _DOUBLES)
            b.store(b.fadd(b.load(address, align=8), tile.widened(down)), address, align=8)
        for i, total in enumerate(across):
            tile.add_lanes(b.load(total), b.gep(of_rows, [_integer(i)]))
        return context.get_dummy_value()

    return signature, code


@intrinsic
def _add_across(
    typing_context: TypingContext,
    x: types.Type,
    row: types.Type,
    panels: types.Type,
    weights: types.Type,
    first: types.Type,
    last: types.Type,
    start: types.Type,
    stop: types.Type,
    form: types.Type,
    power: types.Type,
    out: types.Type,
) -> tuple[Signature, Callable[..., ir.Value]]:
    integer = types.int64
    signature = types.void(x, integer, panels, weights, *[integer] * 6, out)

    def code(
        context: BaseContext, b: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        """The loop that adds one tile of distances after another to the sums of the rows."""
        at = _addresses(context, b, signature, arguments)
        row, first, last, start, stop, form, power = (arguments[i] for i in (1, 4, 5, 6, 7, 8, 9))
        stride = _width(context, b, signature.args[0], arguments[0])
        tile = _Tile(b, x.dtype)
        fma = tile.function("llvm.fma", 3)
        x_at = b.gep(at[0], [b.mul(row, stride)])
        across = tile.zeros()
        with cgutils.for_range_slice(b, first, last, _integer(1)) as (number, _):
            panel = b.gep(at[2], [b.mul(number, b.mul(stride, _integer(LANES)))])
            tile.bring_together(x_at, panel, stride, start, stop, form)
            tile.raise_to(power)
            column_weights = tile.load(at[3], b.mul(number, _integer(LANES)))
            for value, total in zip(tile.sums, across, strict=True):
                b.store(fma(b.load(value), column_weights, b.load(total)), total)
        for i, total in enumerate(across):
            tile.add_lanes(b.load(total), b.gep(at[10], [b.add(row, _integer(i))]))
        return context.get_dummy_value()

    return signature, code


def _integer(value: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), value)


def _addresses(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
) -> dict[int, ir.Value]:
    """The address of the data of each array argument."""
    return {
        i: context.make_array(kind)(context, builder, arguments[i]).data
        for i, kind in enumerate(signature.args)
        if isinstance(kind, types.Array)
    }


def _width(
    context: BaseContext, builder: ir.IRBuilder, kind: types.Array, value: ir.Value
) -> ir.Value:
    """The length of the second axis of an array."""
    return builder.extract_value(context.make_array(kind)(context, builder, value).shape, 1)


def _plain_fill(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    first: int,
    last: int,
    start: int,
    stop: int,
    form: int,
    power: int,
    out: FloatArray,
) -> None:
    """:func:`fill` without the compiler."""
    rows = x[row : row + rows_at_once(x.dtype)]
    columns = panels[first:last].transpose(0, 2, 1).reshape(-1, panels.shape[1])
    difference = rows[:, None, start:stop] - columns[None, :, start:stop]
    if form == ABSOLUTE:
        sums = np.abs(difference).sum(axis=2)
    elif form == MISMATCH:
        sums = (difference != 0).sum(axis=2)
    else:
        sums = (difference**2).sum(axis=2)
    out[:] = sums ** ROOT_POWERS[power]


def _plain_add_up(
    x: FloatArray,
    weights: FloatArray,
    row: int,
    own: int,
    panels: FloatArray,
    first: int,
    last: int,
    other: int,
    start: int,
    stop: int,
    form: int,
    power: int,
    table: Float64Array,
) -> None:
    """:func:`add_up` without the compiler."""
    rows = slice(row, row + rows_at_once(x.dtype))
    columns = slice(first * LANES, last * LANES)
    values = np.empty((rows.stop - row, columns.stop - columns.start), x.dtype)
    _plain_fill(x, row, panels, first, last, start, stop, form, power, values)
    table[own, columns] += weights[rows] @ values
    table[other, rows] += values @ weights[columns]


def _plain_add_across(
    x: FloatArray,
    row: int,
    panels: FloatArray,
    weights: FloatArray,
    first: int,
    last: int,
    start: int,
    stop: int,
    form: int,
    power: int,
    out: Float64Array,
) -> None:
    """:func:`add_across` without the compiler."""
    rows = slice(row, row + rows_at_once(x.dtype))
    columns = slice(first * LANES, last * LANES)
    values = np.empty((rows.stop - row, columns.stop - columns.start), x.dtype)
    _plain_fill(x, row, panels, first, last, start, stop, form, power, values)
    out[rows] += values @ weights[columns]


#: fill(x, row, panels, first, last, start, stop, form, power, out): φ(Σ δ) of rows_at_once rows of
#: x, from ``row`` on, with all points of the panels [first, last); out has exactly the shape
#: (rows, 32 · panels). Coordinates [start, stop) count.
fill = _plain_fill if config.DISABLE_JIT else _fill
#: add_up(x, weights, row, own, panels, first, last, other, start, stop, form, power, table): for
#: the same pairs, table[own, j] += Σ_i w_i v_ij and table[other, i] += Σ_j w_j v_ij, in float64;
#: the few pairs of one lane are added in the type of x.
add_up = _plain_add_up if config.DISABLE_JIT else _add_up
#: add_across(x, row, panels, weights, first, last, start, stop, form, power, out): for the same
#: pairs, out[row + i] += Σ_j w_j v_ij with the weights of the panels; added as by add_up.
add_across = _plain_add_across if config.DISABLE_JIT else _add_across
