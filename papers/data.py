"""The data sets of the papers, from folders or from the network, each checked by its digest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn import datasets

from kgroups.exceptions import DataError
from kgroups.runtime.written_whole import written_whole
from papers.originals import UNREADABLE, original

#: Where the originals of each set are, how they are read, and the digest of their content.
CATALOG: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("data.json").read_text("utf-8")
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Rows of numbers, NaN where one is missing, and the position of each class; read-only."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    classes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Network:
    """Edges in the order of their nodes, an undirected one once; read-only."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64] | None
    n_nodes: int
    y: NDArray[np.int64] | None
    classes: tuple[str, ...]
    node_names: tuple[str, ...]

    def adjacency(self) -> csr_array:
        """Who is joined with whom in either direction: symmetric, of zeros and ones."""
        # scikit-learn takes indices of 32 bits alone.
        ends = (self.source.astype(np.int32), self.target.astype(np.int32))
        A: Any = csr_array((np.ones(len(self.source)), ends), shape=(self.n_nodes, self.n_nodes))
        return csr_array(A + A.T > 0, dtype=np.float64)


@dataclass(frozen=True)
class DataFolders:
    """Folders in which data sets are looked for; downloads are put into the last one.

    A table is ``uci/NAME.csv``: a line of names, features first, ``label`` last, an empty field
    for a missing value. A graph is ``graphs/NAME.edges.csv`` with ``source,target[,weight]`` and
    ``graphs/NAME.labels.csv`` with ``node,label[,name]``. A process loads a file once.
    """

    folders: tuple[Path, ...]

    @classmethod
    def find(cls, data_dir: str | Path | None = None) -> DataFolders:
        """``data_dir``, then ``$KGROUPS_DATA``, then ``data`` in the cache folder."""
        cache = Path(os.environ.get("KGROUPS_CACHE") or "~/.cache/kgroups", "data")
        given = [data_dir, os.environ.get("KGROUPS_DATA"), cache]
        return cls(tuple(Path(folder).expanduser() for folder in given if folder))

    def table(self, name: str) -> Table:
        """A table; DataError where it is missing or has another content."""
        return cast(Table, self._load(name))

    def graph(self, name: str) -> Network:
        """A graph; DataError where it is missing or has another content."""
        return cast(Network, self._load(name))

    def missing(self, name: str) -> str | None:
        """Why a set is not here and how to get it; None where it is here."""
        facts = _facts(name)
        if "package" in facts or self._paths(name):
            return None
        looked = f"{' or '.join(map(str, self.folders))} (--data-dir names another folder)"
        how = f"there is no download: {facts.get('instead')}"
        if "urls" in facts:
            how = f"--download fetches {name} from {' and '.join(facts['urls'])}"
        return f"{' and '.join(_files(name))} not found in {looked}; {how}."

    def download(self, name: str) -> Path:
        """Fetch the originals, check what is in them, and write it: the table, or the edges."""
        facts = _facts(name)
        if "urls" not in facts:
            why = facts.get("instead") or f"it comes with {facts['package']}"
            raise DataError(f"{name} cannot be downloaded: {why}.")
        frames, _ = _checked(name, " and ".join(facts["urls"]), lambda: original(facts))
        paths = [self.folders[-1] / file for file in _files(name)]
        for path, frame in zip(paths, frames, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as stream:
                stream.write(frame.to_csv(index=False, lineterminator="\n").encode())
        return paths[0]

    def _load(self, name: str) -> Table | Network:
        if (why := self.missing(name)) is not None:
            raise DataError(why)
        return _loaded(name, self._paths(name))

    def _paths(self, name: str) -> tuple[Path, ...]:
        """The files of a set in the first folder that has all of them."""
        places = [tuple(folder / file for file in _files(name)) for folder in self.folders]
        return next((paths for paths in places if all(map(Path.is_file, paths))), ())


def digest(data: Table | Network) -> str:
    """SHA-256 of shapes, numbers and labels: the same however a file was written."""
    arrays: list[Any]
    if isinstance(data, Table):
        arrays = [data.X]
    else:
        weights = [] if data.weight is None else [data.weight]
        arrays = [[data.n_nodes], data.source, data.target, *weights]
    found = sha256()
    for array in arrays:
        values = np.asarray(array, "<f8") + 0.0  # one zero, and below one NaN
        found.update(f"{values.shape};".encode())
        found.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    if data.y is not None:
        found.update("\n".join(data.classes[code] for code in data.y).encode())
    return found.hexdigest()


def _facts(name: str) -> dict[str, Any]:
    if name not in CATALOG:
        raise DataError(f"There is no data set {name!r}; there are {', '.join(CATALOG)}.")
    return CATALOG[name]


def _files(name: str) -> list[str]:
    if "directed" in _facts(name):
        return [f"graphs/{name}.edges.csv", f"graphs/{name}.labels.csv"]
    return [f"uci/{name}.csv"]


@lru_cache(maxsize=64)
def _loaded(name: str, paths: tuple[Path, ...]) -> Table | Network:
    def read() -> list[pd.DataFrame]:
        # As text: not every version of pandas reads each number as Python does.
        texts = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths]
        return texts or _bundled(name)

    return _checked(name, " and ".join(map(str, paths)) or _facts(name)["package"], read)[1]


def _checked(
    name: str, source: str, read: Callable[[], list[pd.DataFrame]]
) -> tuple[list[pd.DataFrame], Table | Network]:
    """What is written into the files of a set and what is in it, compared with its digest."""
    facts = _facts(name)
    try:
        *edges, last = read()
        edges = [_ordered(frame, facts["directed"]) for frame in edges]
        data = _content(last, *edges)
    except UNREADABLE as error:
        raise DataError(f"{source} cannot be read as the data set {name}: {error}.") from error
    found, expected = digest(data), facts["digest"]
    if expected and found != expected:
        digests = f"its digest is {found[:16]}…, expected {expected[:16]}…"
        raise DataError(f"{source} is not the data set {name}: {digests}.")
    return [*edges, last], data


def _ordered(edges: pd.DataFrame, directed: bool) -> pd.DataFrame:
    """Each edge once, from the lower node to the higher where it has no direction."""
    edges = edges.astype({"source": np.int64, "target": np.int64})
    if not directed:
        edges[["source", "target"]] = np.sort(edges[["source", "target"]], axis=1)
    return edges.drop_duplicates().sort_values(["source", "target"])


def _content(frame: pd.DataFrame, edges: pd.DataFrame | None = None) -> Table | Network:
    """A table, or a graph of nodes and edges."""
    labels = frame["label"].str.strip().tolist()
    distinct = set(labels) - {""}
    classes = tuple(sorted(distinct, key=int if all(map(str.isdecimal, distinct)) else str))
    y = _fixed([classes.index(label) for label in labels] if classes else [], np.int64)
    if edges is None:
        X = _fixed(frame.drop(columns="label").replace("", "nan"), np.float64)
        return Table(X=X, y=y, classes=classes)
    numbers = map(str, range(len(frame)))
    return Network(
        source=_fixed(edges["source"], np.int64),
        target=_fixed(edges["target"], np.int64),
        weight=_fixed(edges["weight"], np.float64) if "weight" in edges else None,
        n_nodes=len(frame),
        y=y if classes else None,
        classes=classes,
        node_names=tuple(frame["name"].str.strip() if "name" in frame else numbers),
    )


def _fixed(values: Any, dtype: type) -> NDArray[Any]:
    array: NDArray[Any] = np.array(values, dtype, order="C")
    array.setflags(write=False)
    return array


def _bundled(name: str) -> list[pd.DataFrame]:
    if name == "karate":
        club = nx.karate_club_graph()
        clubs = pd.DataFrame({"label": [club.nodes[node]["club"] for node in club]})
        return [pd.DataFrame(list(club.edges), columns=["source", "target"]), clubs]
    bunch = getattr(datasets, f"load_{name}")()
    frame = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    return [frame.assign(label=bunch.target_names[bunch.target])]
