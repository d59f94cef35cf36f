"""Lists of edges: what their columns are called, and edges in memory as columns of ids."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgroups.input.adjacency import canonical_order
from kgroups.names import WEIGHT_COLUMNS
from kgroups.text import did_you_mean, quoted
from kgroups.typing import Float64Array, IntArray

# Names of the two ends of an edge; the same word may follow those of the first five pairs.
_FOLLOWED = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("src", "dest"),
    ("start", "end"),
)
_ENDS = (
    ("origin", "destination"), ("sender", "receiver"), ("citing", "cited"), ("ligand", "receptor"),
    ("regulator", "target"), ("tf", "target"), ("von", "nach"), ("u", "v"), ("i", "j"),
)  # fmt: skip
# What a name with 1 and 2, or A and B, at its end means. CDK1 and CDK2 are as likely to be nodes.
_NOUNS = re.compile(
    r".*(node|id|gene|protein|name|symbol|source|target|interactor|entity|user|person|author|actor|"
    r"species|uniprot|accession|vertex|term|word|item|cell|region|bait|partner|member|player|city)"
)
_INTEGER = re.compile("0|-?[1-9][0-9]{0,18}")
_PLAIN_WEIGHTS = ("weight", "weights", "gewicht")


class AskedColumns(NamedTuple):
    """What is known of the columns of a list of edges: names, or positions from 1."""

    source: str | None = None
    target: str | None = None
    #: Empty if no weights are read.
    weight: str | None = None


class EdgeColumns(NamedTuple):
    """The ends of edges, their weights if there are any, and notes."""

    source: Any
    target: Any
    weight: Any = None
    notes: tuple[str, ...] = ()


def plain(name: str) -> str:
    """A name in lower case, without blanks, dashes and underscores."""
    return name.lower().translate(str.maketrans("", "", " _-"))


#: Names of weights as :func:`plain` writes them.
WEIGHTS = frozenset(map(plain, WEIGHT_COLUMNS))


def named_ends(names: Sequence[str], *, are_names: bool = False) -> tuple[int, int] | None:
    """The positions of the two ends of an edge by the names of columns; None without such names.

    If they are known to be names, any word may be that of both ends.

    >>> named_ends(["id", "From", "To"]), named_ends(["protein1", "protein2", "combined_score"])
    ((1, 2), (0, 1))
    >>> named_ends(["gene1", "gene2", "gene3"]), named_ends(["CDK1", "CDK2"])
    (None, None)
    """
    place = {plain(name): i for i, name in reversed(list(enumerate(names)))}
    in_turn = sorted(place.items(), key=lambda item: item[1])
    for name, i in in_turn:
        for first, second in _FOLLOWED:
            other = place.get(second + name.removeprefix(first))
            if name.startswith(first) and other is not None:
                return i, other
    for first, second in _ENDS:
        if first in place and second in place:
            return place[first], place[second]
    for name, i in in_turn:
        word, last = name[:-1], name[-1:]
        second, third = {"1": ("2", "3"), "a": ("b", "c")}.get(last, (" ", " "))
        is_word = len(word) > 1 and (are_names or _NOUNS.fullmatch(word))
        if is_word and word + second in place and word + third not in place:
            return i, place[word + second]
    return None


def chosen(
    names: Sequence[str], numeric: Sequence[bool], asked: AskedColumns, *, third_weighs: bool
) -> tuple[list[int], list[str]]:
    """The positions of source, target and perhaps weight, and notes on the other columns.

    ValueError if a column that is asked for is not there, or several may be the weights.
    ``third_weighs`` says whether the last of three columns is, unless names say something else.
    """
    source, target, weight = [position_of(name, names) if name else None for name in asked]
    ends = named_ends(names, are_names=True)
    if source is not None and target is not None:
        ends = source, target
    others = [c for c in range(len(names)) if c != weight and plain(names[c]) not in _PLAIN_WEIGHTS]
    if ends is None and len(others) < 2:
        raise ValueError(f"of {listed(names)} no two are the ends of an edge; rename these.")
    first, second = ends or others[:2]
    if asked.weight == "":
        return [first, second], []
    if weight is None:
        weight = weight_among(names, numeric, first, second)
    if weight is None and third_weighs and ends is None and len(names) == 3:
        weight = 3 - first - second
    columns = [first, second] if weight is None else [first, second, weight]
    if len({*columns}) < len(columns):
        raise ValueError("source, target and weight must be different columns.")
    return columns, unused(names, weight, first, second)


def weight_among(names: Sequence[str], numeric: Sequence[bool], *ends: int) -> int | None:
    """The position of the name of weights; ValueError if there are several that hold numbers."""
    found = [c for c, name in enumerate(names) if plain(name) in WEIGHTS and c not in ends]
    certain = [c for c in found if plain(names[c]) in _PLAIN_WEIGHTS][:1]
    found = certain or [c for c in found if numeric[c]]
    if len(found) > 1:
        raise ValueError(
            f"several may be the weights: {listed([names[c] for c in found])}; say which, as in "
            f"{_asking(names[found[0]])}."
        )
    return found[0] if found else None


def unused(names: Sequence[str], weight: int | None, *ends: int) -> list[str]:
    """Notes on weights that are not called so, and on columns or attributes that are not read."""
    notes = []
    name = "weight" if weight is None else names[weight]
    if plain(name) not in _PLAIN_WEIGHTS and not name.isdecimal():
        notes.append(f"{quoted(name)} is read as the weights.")
    if others := [name for c, name in enumerate(names) if c not in (*ends, weight)]:
        how = f"; {_asking(others[0])} reads one as the weights" if weight is None else ""
        notes.append(f"not used: {listed(others)}{how}.")
    return notes


def _asking(name: str) -> str:
    return f'weight="{name}" (--weight-column "{name}")'


def weights_of(
    attributes: Sequence[Mapping[str, Any]], asked: str | None = None
) -> tuple[list[Any], list[str]]:
    """The weights of edges among their attributes, 1 where there are none, and notes."""
    numeric: dict[str, bool] = {}
    for data in attributes:
        for name, value in data.items():
            numeric[str(name)] = numeric.get(str(name), True) and _is_number(value)
    known = [name for name in numeric if name != "key"]  # which networkx gives parallel edges
    column = position_of(asked, known) if asked else None
    if asked is None:
        column = weight_among(known, [numeric[name] for name in known])
    weight = None if column is None else known[column]
    notes = [] if asked == "" else unused(known, column)
    have = sum(weight in data for data in attributes)
    if 0 < have < len(attributes):
        n = f"{len(attributes) - have:,} of {len(attributes):,}"
        notes.insert(0, f"{n} edges have no weight, and weigh 1.")
    return [data.get(weight or "", 1) for data in attributes], notes


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def listed(names: Sequence[str]) -> str:
    """The first few names, quoted."""
    return ", ".join(map(quoted, names[:8])) + (", ..." if len(names) > 8 else "")


def position_of(name: str, names: Sequence[str]) -> int:
    """The position of a column or attribute by its name, or by its number from 1."""
    if name in names:
        return names.index(name)
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return int(name) - 1
    raise ValueError(
        f"no column is called {quoted(name)}.{did_you_mean(name, names)} There are "
        f"{listed(names)}; or give a number from 1 to {len(names)}."
    )


def split(edges: Any) -> EdgeColumns:
    """The columns of edges that come in one object: a frame, an array, a series or pairs."""
    if hasattr(edges, "columns"):
        return _of_frame(edges)
    if getattr(getattr(edges, "index", None), "nlevels", 1) == 2:
        source, target = (edges.index.get_level_values(level).to_numpy() for level in (0, 1))
        return EdgeColumns(source, target, edges.to_numpy())
    if isinstance(edges, np.ndarray):
        if edges.ndim != 2 or edges.shape[1] not in (2, 3):
            raise ValueError(
                "an array of edges has two columns, source and target, and perhaps a third of "
                f"weights; got shape {edges.shape}."
            )
        return EdgeColumns(*edges.T)
    data = getattr(edges, "data", None) if type(edges).__module__.startswith("networkx.") else None
    rows = list(data("weight", default=1) if callable(data) else edges)
    widths = [len(row) if isinstance(row, (tuple, list, np.ndarray)) else 0 for row in rows]
    for edge, width in enumerate(widths):
        if width not in (2, 3) or width != widths[0]:
            expected = "(source, target)" if widths[0] == 2 else "(source, target, weight)"
            raise ValueError(f"edge {edge} is {rows[edge]!r}; expected {expected}.")
    return EdgeColumns(*([list(column) for column in zip(*rows, strict=True)] or ([], [])))


def column(frame: Any, position: int) -> NDArray[Any]:
    """One column of a frame of pandas, or of another library that narwhals knows."""
    if hasattr(frame, "iloc"):
        return np.asarray(frame.iloc[:, position])
    import narwhals.stable.v2 as nw

    return np.asarray(nw.from_native(frame, eager_only=True)[:, position].to_numpy())


def are_numbers(values: NDArray[Any]) -> bool:
    """Whether a column holds numbers, perhaps as objects, and not the text of numbers."""
    if values.dtype.kind == "O":
        return all(isinstance(value, Real) for value in values.tolist())
    return values.dtype.kind in "biuf"


def _of_frame(frame: Any) -> EdgeColumns:
    """Columns with names that mean ends and weights; else the only two or three, in turn."""
    names = [str(name) for name in frame.columns]
    index = str(getattr(getattr(frame, "index", None), "name", None))
    columns = [column(frame, c) for c in range(len(names))]
    numeric = [are_numbers(values) for values in columns]
    rows = list(frame.index) if hasattr(frame, "iloc") else []
    of_rows = bool(rows) and all(isinstance(row, str) for row in rows)
    if named_ends(names, are_names=True) is None and (
        len(names) not in (2, 3)
        or (of_rows and all(numeric))
        or named_ends([*names, index], are_names=True)
    ):
        found = f", with rows such as {quoted(rows[0])}" if of_rows else ""
        raise ValueError(
            "a frame of edges has columns source and target and perhaps weight; got "
            f"{listed(names) or 'none'}{found}. Rename the columns that hold the ends."
        )
    places, notes = chosen(names, numeric, AskedColumns(), third_weighs=True)
    source, target, *weight = [columns[c] for c in places]
    return EdgeColumns(source, target, weight[0] if weight else None, tuple(notes))


def checked_weights(weight: Any, n_edges: int) -> Float64Array:
    """One finite weight per edge, 1 if none are given."""
    if weight is None:
        return np.ones(n_edges)
    _refuse_masked(weight, "weight")
    array = np.asarray(weight)
    if array.shape != (n_edges,):
        raise ValueError(
            f"weight must hold one number for each edge, {n_edges:,} in all; got shape "
            f"{array.shape}."
        )
    if array.dtype.kind not in "biuf":
        for edge, value in enumerate(array.tolist()):
            if not isinstance(value, Real):
                hint = ", with a decimal point" if isinstance(value, str) and "," in value else ""
                raise TypeError(f"weight must hold numbers{hint}; edge {edge} has {value!r}.")
    try:
        array = array.astype(np.float64, copy=False)
    except OverflowError as error:
        raise ValueError("weight holds an integer that is too large for a number.") from error
    if not (finite := np.isfinite(array)).all():
        edge = int(np.argmin(finite))
        raise ValueError(f"weight contains NaN or infinity: edge {edge} has {array[edge]}.")
    return array


def node_ids(ids: list[Any]) -> NDArray[Any]:
    """An array of integers if all ids are, else of objects, with tuples kept whole."""
    ids = [node.item() if isinstance(node, np.integer) else node for node in ids]
    if all(type(node) is int and abs(node) < 2**63 for node in ids):
        return np.array(ids, np.int64)
    return np.fromiter(ids, object, len(ids))


def nodes_are_numbers(names: Sequence[str]) -> bool:
    """Whether all ids are integers of 64 bits as programs write them; 007 is text."""
    return all(map(_INTEGER.fullmatch, names)) and all(abs(int(name)) < 2**63 for name in names)


def of_texts(names: Sequence[str]) -> NDArray[Any]:
    """Ids as integers if all are, else as they are written."""
    return node_ids([int(n) for n in names] if nodes_are_numbers(names) else list(names))


def checked_ids(nodes: Any, name: str) -> NDArray[Any]:
    """An array of integers if all ids are, else of objects."""
    _refuse_masked(nodes, name)
    array = np.asarray(nodes) if hasattr(nodes, "__array__") else _items(nodes)
    if array.ndim != 1:
        raise ValueError(f"{name} must hold one node per edge; got shape {array.shape}.")
    if array.dtype.kind == "f":
        whole = (np.floor(array) == array) & (np.abs(array) < 2**53)
        if not whole.all():
            edge = int(np.argmin(whole))
            raise TypeError(
                f"{name} must hold ids, integers or text; edge {edge} has {array[edge]}."
            )
    if array.dtype.kind in "iuf" and not (len(array) and array.max() >= 2**63):
        return array.astype(np.int64, copy=False)
    return node_ids(list(array) if array.dtype.kind == "M" else array.tolist())


def _refuse_masked(values: Any, name: str) -> None:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} is a masked array; drop the edges that are masked.")


def _items(nodes: Any) -> NDArray[Any]:
    """Items as they are: NumPy would make text of integers next to text, and columns of tuples."""
    items = list(nodes)
    kinds = {*map(type, items)} - {bool}
    are_numbers = bool(kinds) and all(issubclass(kind, (int, float, np.number)) for kind in kinds)
    return np.asarray(items) if are_numbers else np.fromiter(items, object, len(items))


def coded(
    source: Sequence[Any], target: Sequence[Any], others: Iterable[Any] = ()
) -> tuple[IntArray, IntArray, NDArray[Any]]:
    """The ends of edges as places among the nodes, which are these and others, in their order.

    TypeError if an end is missing.
    """
    codes: dict[Any, int] = {}
    for node in others:
        codes.setdefault(node, len(codes))
    in_turn = chain.from_iterable(zip(source, target, strict=True))
    try:
        ranks = np.array([codes.setdefault(i, len(codes)) for i in in_turn], np.int64)
    except TypeError as error:
        raise TypeError(f"ids of nodes must be integers, text or hashable: {error}.") from error
    for node, code in codes.items():
        # NaN and NaT are not equal to themselves; the NA of pandas does not say.
        if node is None or type(node).__name__ == "NAType" or bool(node != node):  # noqa: PLR0124
            edge, end = divmod(int(np.argmax(ranks == code)), 2)
            raise TypeError(f"edge {edge} has no {('source', 'target')[end]}: {node!s}.")
    nodes, rank = in_order(list(codes))
    return rank[ranks[::2]], rank[ranks[1::2]], nodes


def in_order(names: list[Any]) -> tuple[NDArray[Any], IntArray]:
    """Nodes in their canonical order, and the place of each there."""
    order = canonical_order(names)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return node_ids([names[node] for node in order.tolist()]), rank


def ranked(source: IntArray, target: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The rank of each integer among the distinct ones, and these in ascending order."""
    low = int(min(source.min(), target.min()))
    span = int(max(source.max(), target.max())) - low + 1
    if span > 8 * len(source) + 1024:
        nodes, ranks = np.unique(np.concatenate([source, target]), return_inverse=True)
        return ranks[: len(source)], ranks[len(source) :], nodes
    seen = np.zeros(span, np.bool_)
    seen[source - low] = seen[target - low] = True
    rank = np.cumsum(seen) - 1
    return rank[source - low], rank[target - low], np.flatnonzero(seen) + low
