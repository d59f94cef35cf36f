"""What a fit over blocks keeps on disk after each sweep, so that another process can go on.

A file holds arrays of NumPy and a text of JSON, nothing that runs when it is read. It is written
whole or not at all.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kgroups.exceptions import DataError
from kgroups.gram.squared_rows import Embedding
from kgroups.runtime.row_blocks import Blocks
from kgroups.solvers.block_labels import BlockLabels
from kgroups.solvers.block_search import BlockSearch, Course
from kgroups.solvers.compiled.clusters import Means
from kgroups.solvers.partition import Partition, Status
from kgroups.solvers.restarts import Restarts
from kgroups.typing import Float64Array, FloatArray

_VERSION = 1
# Bytes of a file that are read at most for each row and for everything else.
_PER_ROW, _BESIDES = 16, 1 << 28


@dataclass(frozen=True, kw_only=True)
class Begun:
    """What came before the sweeps, and is not to be made again."""

    #: Rows of the landmarks; or the map of squared distances.
    landmarks: FloatArray | Embedding
    runs: Restarts
    #: The unit of the objectives of the starts, and the error of the sketch.
    starts_unit: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Resumed:
    """A search as it was after a sweep."""

    begun: Begun
    labels: Any
    means: Means
    dispersion: float
    since: int
    course: Course

    def search(self, where: Blocks, features: Any, k: int, heaviest: float) -> BlockSearch:
        """The search, whose bounds are unknown."""
        search = BlockSearch.__new__(BlockSearch)
        search.where, search.features = where, features
        search.labels = BlockLabels.of(where, self.labels, k)
        search.k, search.heaviest = k, heaviest
        search.begin()
        search.means, search.dispersion, search.since = self.means, self.dispersion, self.since
        return search


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A file of a fit, and the settings and data that it belongs to."""

    path: str
    settings: dict[str, Any]

    def save(self, begun: Begun, search: BlockSearch, course: Course) -> None:
        """Write the state after a sweep; DataError if that fails, and the earlier file stays."""
        means = {f"means_{name}": array for name, array in search.means._asdict().items()}
        text = {
            "version": _VERSION,
            "settings": self.settings,
            "course": asdict(course),
            "dispersion": search.dispersion,
            "since": search.since,
            "starts_unit": begun.starts_unit,
            "error": begun.error,
            "names": list(begun.runs.names),
            "is_column_major": bool(search.means.centers.flags.f_contiguous),
        }
        rises = {f"rises_{i}": run.rises for i, run in enumerate(begun.runs.partitions)}
        arrays: dict[str, Any] = {**means, **rises, **_as_arrays(begun.landmarks)}
        arrays["text"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
        arrays["labels"] = search.labels.values
        held = io.BytesIO()
        np.savez(held, **arrays)
        self._write(held.getbuffer())

    def load(self, n: int) -> Resumed | None:
        """The state that was written last; None where there is no file.

        Raises
        ------
        DataError
            For a file that is damaged, of another version, or of other data or settings.
        """
        data = self._read(_PER_ROW * n + _BESIDES)
        if data is None:
            return None
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in arrays.files}
            text = json.loads(found["text"].tobytes())
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise DataError(
                f"checkpoint {self.path} is damaged or no checkpoint ({error}); remove it to "
                "begin anew."
            ) from error
        self._check(text)
        return _resumed(found, text)

    def _check(self, text: dict[str, Any]) -> None:
        if text.get("version") != _VERSION:
            raise DataError(
                f"checkpoint {self.path} has version {text.get('version')}, and this kgroups "
                f"reads {_VERSION}; remove it to begin anew."
            )
        then = text["settings"]
        for name, value in self.settings.items():
            if then.get(name) != value:
                raise DataError(
                    f"checkpoint {self.path} is of another fit: {name} was {then.get(name)!r}, and "
                    f"is {value!r}; give another path, or remove it to begin anew."
                )

    def _write(self, data: Any) -> None:
        try:
            if "://" in self.path:
                import fsspec

                with fsspec.open(self.path, "wb") as file:
                    file.write(data)
                return
            folder = Path(self.path).parent
            with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
                part = Path(file.name)
            try:
                part.write_bytes(data)
                part.replace(self.path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise DataError(
                f"checkpoint {self.path} cannot be written ({error.strerror or error}); what was "
                "written before is still there."
            ) from error

    def _read(self, most: int) -> bytes | None:
        try:
            if "://" in self.path:
                import fsspec

                with fsspec.open(self.path, "rb") as file:
                    data = bytes(file.read(most + 1))
            else:
                with Path(self.path).open("rb") as file:
                    data = file.read(most + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(
                f"checkpoint {self.path} cannot be read ({error.strerror or error})."
            ) from error
        if len(data) > most:
            raise DataError(f"checkpoint {self.path} is larger than one of these rows can be.")
        return data


def embedding_of(begun: Begun) -> Embedding:
    """The map of squared distances of a fit that had one."""
    if not isinstance(begun.landmarks, Embedding):
        raise TypeError("the checkpoint is one of a sketch")
    return begun.landmarks


def _as_arrays(landmarks: Any) -> dict[str, Any]:
    if isinstance(landmarks, Embedding):
        return {
            "embedding_first": landmarks.first,
            "embedding_mean": landmarks.mean,
            "embedding_scales": np.array([landmarks.unit, landmarks.scale]),
        }
    return {"landmarks": landmarks}


def _resumed(found: dict[str, Any], text: dict[str, Any]) -> Resumed:
    landmarks = found.get("landmarks")
    if landmarks is None:
        unit, scale = found["embedding_scales"].tolist()
        landmarks = Embedding(found["embedding_first"], unit, found["embedding_mean"], scale)
    means = Means(**{name: found[f"means_{name}"] for name in Means._fields})
    order: Any = "F" if text["is_column_major"] else "C"
    means = means._replace(centers=np.asarray(means.centers, order=order))
    names = tuple(text["names"])
    runs = [_run_of(found[f"rises_{i}"]) for i in range(len(names))]
    begun = Begun(
        landmarks=landmarks,
        runs=Restarts(
            best=runs[0], names=names, partitions=tuple(runs), values=(0.0,) * len(runs), kept=0
        ),
        starts_unit=text["starts_unit"],
        error=text["error"],
    )
    return Resumed(
        begun=begun,
        labels=found["labels"],
        means=means,
        dispersion=text["dispersion"],
        since=text["since"],
        course=Course(**text["course"]),
    )


def _run_of(rises: Float64Array) -> Partition:
    """A start of which only the course of its objective is known."""
    none = np.empty(0)
    return Partition(
        labels=np.empty(0, np.int64),
        objective=float(rises[-1]),
        together=0.0,
        weight=none,
        within=none,
        n_iter=len(rises) - 1,
        n_moves=0,
        status=Status.CONVERGED,
        history=rises,
    )
