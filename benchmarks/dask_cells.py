"""Fits on clusters next to the local fit: every number must be the same, to the bit."""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from distributed import Client, LocalCluster
from pyarrow import parquet

from benchmarks.dask_data import CHUNKS, DATA, Data, lazy, lengths_of, weights_of
from kgroups import KernelKGroups, blocks
from kgroups.dask import KernelKGroups as OnCluster
from kgroups.dask import estimators, gathered
from kgroups.semimetrics import Energy
from kgroups.typing import FloatArray
from kgroups_papers.code import definitions, digest

#: Sources of rows; ``one thread`` is the table in memory.
SOURCES = ("array", "npy", "parquet")
METHODS: dict[str, dict[str, Any]] = {
    "nystroem": {"method": "nystroem"},
    "squared": {"metric": Energy(2)},
    "gathered proof": {},
    "proof by blocks": {},
}
#: Tables of which all rows are gathered on one worker, where a proof needs them, and those of which
#: a proof reads blocks, as it does where no worker has room for all of them.
PROVED = ("overlapping", "separate, 1 column", "three hundred different rows")
#: What must be the same besides the certificate.
NUMBERS = (
    "labels_", "within_dispersion_", "objective_", "between_statistic_", "objective_history_",
    "cluster_weights_", "cluster_dispersions_", "sketch_error_", "n_iter_", "n_moves_", "method_",
    "within_dispersion_interval_",
)  # fmt: skip
# Sweeps of a fit, so that none takes minutes.
_SWEEPS = 40
_MEMORY = "16GB"


@dataclass(frozen=True)
class Cell:
    """One fit that is compared with the local one."""

    data: str
    method: str
    dtype: str
    weighted: bool
    #: Processes of the cluster; 0 for this one.
    workers: int
    #: How a Dask array is split, or from where a source reads.
    rows: str

    @property
    def fit(self) -> tuple[str, str, str, bool]:
        """The local fit that it is compared with."""
        return self.data, self.method, self.dtype, self.weighted

    @property
    def name(self) -> str:
        """All of it, in one line."""
        weights = "weights" if self.weighted else "no weights"
        where = f"{self.workers} workers" if self.workers else "local"
        return ", ".join([self.data, self.method, self.dtype, weights, where, self.rows])


def all_cells() -> list[Cell]:
    """Every cell, those of one table and one local fit next to each other."""
    found = []
    for data in DATA:
        methods = list(METHODS)[: 4 if data.name in PROVED else 2]
        fits = product(methods, ("float32", "float64"), (False, True))
        for method, dtype, weighted in fits:
            where = [(0, rows) for rows in (*SOURCES, "one thread")]
            where += list(product((1, 2, 3), (*CHUNKS, *SOURCES)))
            found += [Cell(data.name, method, dtype, weighted, *place) for place in where]
    return found


def some_of(cells: Sequence[Cell], n: int | None, seed: int) -> list[Cell]:
    """So many cells at random, in their order."""
    if n is None or n >= len(cells):
        return list(cells)
    chosen = np.random.default_rng(seed).choice(len(cells), size=n, replace=False)
    return [cells[i] for i in np.sort(chosen).tolist()]


# --- what is kept ---------------------------------------------------------------------------------


def code() -> str:
    """A digest of the library's code, without its words: cells of other code are done again."""
    root = Path(blocks.__file__).parents[1]
    files = [path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in _WORDS]
    return digest(each.text for path in files for each in definitions(path))[:16]


_WORDS = ("cli", "plots", "report", "select", "graphs", "testing.py")


def finished(path: Path, version: str) -> dict[Cell, dict[str, Any]]:
    """Cells of a JSON-lines file that were made by this code."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return {Cell(**line["cell"]): line for line in lines if line["code"] == version}


def keep(path: Path, line: dict[str, Any]) -> None:
    """One more cell."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


# --- fits -----------------------------------------------------------------------------------------


class Clusters:
    """One cluster per number of workers, started when it is first asked for."""

    def __init__(self) -> None:
        self._stack, self._clients = ExitStack(), dict[int, Client]()

    def __enter__(self) -> Clusters:
        return self

    def __exit__(self, *reason: object) -> None:
        self._stack.close()

    def client(self, n_workers: int) -> Client:
        """A client of so many worker processes of one thread each."""
        if n_workers not in self._clients:
            cluster = self._stack.enter_context(local_cluster(n_workers))
            self._clients[n_workers] = self._stack.enter_context(Client(cluster))
        return self._clients[n_workers]


def local_cluster(n_workers: int) -> LocalCluster:
    """Worker processes of one thread each."""
    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # any free port, for several clusters
        memory_limit=_MEMORY,
        silence_logs=logging.ERROR,
    )


class Tables:
    """The rows of one table at a time, in memory and in files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._at: tuple[str, str] | None = None

    def at(self, name: str, dtype: str) -> tuple[Data, FloatArray]:
        """A table, whose files are there from now on."""
        data = next(data for data in DATA if data.name == name)
        if self._at != (name, dtype):
            self._at, self._rows = (name, dtype), data.make().astype(dtype)
            self._write(self._rows)
        return data, self._rows

    @property
    def rows_file(self) -> Path:
        """The rows as an array."""
        return self.folder / f"{'-'.join(self._at or ()).replace(' ', '-').replace(',', '')}.npy"

    @property
    def weights_file(self) -> Path:
        """The weights."""
        return self.rows_file.with_suffix(".weights.npy")

    def source(self, kind: str) -> Any:
        """A source of the rows."""
        if kind == "array":
            return blocks.from_array(self._rows)
        if kind == "npy":
            return blocks.from_npy(self.rows_file)
        return blocks.from_parquet(self.rows_file.with_suffix(""))

    def _write(self, rows: FloatArray) -> None:
        np.save(self.rows_file, rows)
        np.save(self.weights_file, weights_of(len(rows)))
        folder = self.rows_file.with_suffix("")
        folder.mkdir(exist_ok=True)
        for number, part in enumerate(np.array_split(rows, 3)):
            columns = {f"c{j}": part[:, j] for j in range(rows.shape[1])}
            parquet.write_table(
                pa.table(columns), folder / f"{number}.parquet", row_group_size=len(part) // 3 + 1
            )


def fit_of(data: Data, method: str, kind: Any = KernelKGroups, **more: Any) -> Any:
    """An estimator, not yet fitted."""
    if method == "proof by blocks" and kind is KernelKGroups:
        more["memory_limit"] = 40 * data.n  # a few numbers per row: rows are not gathered then
    return kind(data.k, random_state=0, max_iter=_SWEEPS, **METHODS[method], **more)


def fit_on_cluster(data: Data, method: str, client: Client, *given: Any, **more: Any) -> Any:
    """An estimator, fitted on a cluster."""
    with no_room(on_workers=method == "proof by blocks"), all_shared():
        return fit_of(data, method, OnCluster, **more).fit(*given, client=client)


@contextmanager
def no_room(*, on_workers: bool) -> Iterator[None]:
    """As if no worker could hold all rows of a table."""
    share = estimators._OF_ONE_WORKER
    estimators._OF_ONE_WORKER = 0.0 if on_workers else share
    try:
        yield
    finally:
        estimators._OF_ONE_WORKER = share


@contextmanager
def all_shared() -> Iterator[None]:
    """As if no table were too small to be shared out over workers."""
    known = gathered.WORTH_SHARING, gathered.WORTH_BLOCKS
    gathered.WORTH_SHARING = gathered.WORTH_BLOCKS = 0
    try:
        yield
    finally:
        gathered.WORTH_SHARING, gathered.WORTH_BLOCKS = known


def compared(cell: Cell, tables: Tables, clusters: Clusters, local: Any) -> dict[str, Any]:
    """The fit of a cell, and what is not the same as in the local fit."""
    data, rows = tables.at(cell.data, cell.dtype)
    begun = time.perf_counter()
    if cell.workers == 0:
        X = _in_memory(cell, rows) if cell.rows == "one thread" else tables.source(cell.rows)
        weights = np.load(tables.weights_file) if cell.weighted else None
        found = fit_of(data, cell.method, n_jobs=1).fit(X, sample_weight=weights)
    else:
        client = clusters.client(cell.workers)
        found = fit_on_cluster(data, cell.method, client, *_on_cluster(cell, tables, data))
    seconds = time.perf_counter() - begun
    return {"differ": differences(found, local), "seconds": round(seconds, 3)}


def _in_memory(cell: Cell, rows: FloatArray) -> Any:
    """The table itself, or a source that reads blocks of it."""
    return blocks.from_array(rows) if cell.method == "proof by blocks" else rows


def _on_cluster(cell: Cell, tables: Tables, data: Data) -> tuple[Any, None, Any]:
    """Rows and weights as a cluster has them; the chunks of weights are others."""
    if cell.rows in SOURCES:
        X = tables.source(cell.rows)
    else:
        lengths = lengths_of(cell.rows, data.n)
        X = lazy(tables.rows_file, lengths, are_known=cell.rows != "unknown")
    if not cell.weighted:
        return X, None, None
    return X, None, lazy(tables.weights_file, lengths_of("uneven", data.n))


def differences(found: Any, local: Any) -> list[str]:
    """Names of what is not equal, of the certificate all but its seconds."""
    names = [name for name in NUMBERS if not _equal(getattr(found, name), getattr(local, name))]
    one, other = ({**m.certificate_.to_dict(), "seconds": 0} for m in (found, local))
    return names + ["certificate_"] * (one != other)


def _equal(one: Any, other: Any) -> bool:
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


def run_cells(cells: Sequence[Cell], out: Path, folder: Path) -> list[dict[str, Any]]:
    """All cells, of which finished ones are read; each is kept at once."""
    version = code()
    known, tables = finished(out, version), Tables(folder)
    lines = [known[cell] for cell in cells if cell in known]
    waiting = [cell for cell in cells if cell not in known]
    print(f"{len(lines)} of {len(cells)} cells are finished, by code {version}", flush=True)
    with Clusters() as clusters, warnings.catch_warnings():
        # Some cells end at max_iter on purpose, and answers are compared, not warnings.
        warnings.simplefilter("ignore")
        for _, group in groupby(waiting, lambda cell: cell.fit):
            some = list(group)
            local, seconds = _local(tables, some[0])
            for cell in some:
                line = {"cell": asdict(cell), "code": version, "local seconds": seconds}
                line |= compared(cell, tables, clusters, local)
                keep(out, line)
                lines.append(line)
                if line["differ"]:
                    print(f"{cell.name}: {', '.join(line['differ'])} differ", flush=True)
    return lines


def _local(tables: Tables, cell: Cell) -> tuple[Any, float]:
    """The fit of the table in memory."""
    data, rows = tables.at(cell.data, cell.dtype)
    weights = np.load(tables.weights_file) if cell.weighted else None
    begun = time.perf_counter()
    model = fit_of(data, cell.method).fit(_in_memory(cell, rows), sample_weight=weights)
    return model, round(time.perf_counter() - begun, 3)


def table_of(lines: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """Equal cells of all, by table and number of workers, and by what else cells differ in."""
    cells = [Cell(**line["cell"]) for line in lines]
    for field in ("data", "method", "dtype", "weighted", "rows"):
        for value in dict.fromkeys(getattr(cell, field) for cell in cells):
            here = [
                line
                for cell, line in zip(cells, lines, strict=True)
                if getattr(cell, field) == value
            ]
            counts = [_count(here, n) for n in range(4)]
            label = {"True": "weights", "False": "no weights"}.get(str(value), str(value))
            yield [label, *counts, _ratio(here)]


def _count(lines: Sequence[dict[str, Any]], workers: int) -> str:
    here = [line for line in lines if line["cell"]["workers"] == workers]
    return f"{sum(not line['differ'] for line in here)} of {len(here)}" if here else "-"


def _ratio(lines: Sequence[dict[str, Any]]) -> str:
    """The median time on clusters over that of the local fit."""
    ratios = [line["seconds"] / line["local seconds"] for line in lines if line["cell"]["workers"]]
    return f"{np.median(ratios):.1f}" if ratios else "-"
