"""What a fit over blocks keeps on disk after each sweep, so that another process can go on.

A file holds arrays of NumPy and a text of JSON, nothing that runs when it is read. It is written
whole or not at all.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kgroups.exceptions import DataError
from kgroups.gram.squared_rows import Embedding
from kgroups.runtime.row_blocks import Blocks
from kgroups.runtime.written_whole import written_whole
from kgroups.solvers.block_labels import BlockLabels
from kgroups.solvers.block_search import BlockSearch, Course
from kgroups.solvers.means import Means
from kgroups.solvers.partition import Partition, Status
from kgroups.solvers.restarts import Restarts
from kgroups.typing import Float64Array, FloatArray

_VERSION = 2
# Bytes of a file that are read at most for each row and for everything else.
_PER_ROW, _BESIDES = 16, 1 << 28
# What reading a file raises that is none of ours, or that somebody has changed.
_DAMAGE = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, EOFError,
    NotImplementedError, OverflowError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


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
        }
        rises = {f"rises_{i}": run.rises for i, run in enumerate(begun.runs.partitions)}
        arrays: dict[str, Any] = {**means, **rises, **_as_arrays(begun.landmarks)}
        arrays["text"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
        arrays["labels"] = search.labels.values
        held = io.BytesIO()
        np.savez(held, **arrays)
        self._write(held.getbuffer())

    def load(self, n: int, k: int) -> Resumed | None:
        """The state of n rows in k clusters that was written last; None where there is no file.

        Raises
        ------
        DataError
            For a file that is damaged, of another version, or of other data or settings.
        """
        most = _PER_ROW * n + _BESIDES
        data = self._read(most)
        if data is None:
            return None
        try:
            found, text = _unpacked(data, most)
            version, settings = text["version"], dict(text["settings"])
        except _DAMAGE as error:
            raise self._damaged(error) from error
        self._check(version, settings)
        try:
            return _resumed(found, text, n, k)
        except _DAMAGE as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> DataError:
        return DataError(
            f"checkpoint {self.path} is damaged or no checkpoint ({type(error).__name__}: "
            f"{error}); remove it to begin anew."
        )

    def _check(self, version: Any, then: dict[str, Any]) -> None:
        if version != _VERSION:
            raise DataError(
                f"checkpoint {self.path} has version {version}, and this kgroups reads {_VERSION}; "
                "remove it to begin anew."
            )
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

                part = f"{self.path}.part"
                files, place = fsspec.core.url_to_fs(part)
                with files.open(place, "wb") as file:
                    file.write(data)
                files.mv(place, place.removesuffix(".part"))
                return
            with written_whole(Path(self.path)) as file:
                file.write(data)
        except (OSError, ValueError, ImportError) as error:
            raise DataError(
                f"checkpoint {self.path} cannot be written ({_reason(error)}); an earlier one is "
                "unchanged."
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
        except (OSError, ValueError, ImportError) as error:
            raise DataError(f"checkpoint {self.path} cannot be read ({_reason(error)}).") from error
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


def check_place(path: str) -> None:
    """DataError, before any work, for a file in a folder that cannot be written."""
    if "://" in path:
        return
    folder = Path(path).absolute().parent
    if Path(path).is_dir() or not os.access(folder, os.W_OK):
        what = "is a folder" if Path(path).is_dir() else f"needs a folder to write to: {folder}"
        raise DataError(f"checkpoint {path} {what}; give the path of a file that can be written.")


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _unpacked(data: bytes, most: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays of a file, and its text; ValueError for one that would take more memory."""
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        infos = members.infolist()
    if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
        raise ValueError("its arrays are compressed")
    if sum(info.file_size for info in infos) > most:
        raise ValueError("its arrays are larger than those of these rows")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    return found, json.loads(found["text"].tobytes())


def _resumed(found: dict[str, Any], text: dict[str, Any], n: int, k: int) -> Resumed:
    landmarks = found.get("landmarks")
    if landmarks is None:
        unit, scale = found["embedding_scales"].tolist()
        first, mean = _numbers(found["embedding_first"]), _numbers(found["embedding_mean"])
        landmarks = Embedding(first, unit, mean, scale)
    means = _means_of(found, k)
    names = tuple(str(name) for name in text["names"])
    runs = [_run_of(_numbers(found[f"rises_{i}"])) for i in range(len(names))]
    begun = Begun(
        landmarks=landmarks,
        runs=Restarts(
            best=runs[0], names=names, partitions=tuple(runs), values=(0.0,) * len(runs), kept=0
        ),
        starts_unit=float(text["starts_unit"]),
        error=float(text["error"]),
    )
    course = Course(**text["course"])
    if len(course.fallen) != course.n_iter + 1:
        raise ValueError("its sweeps are not those that were counted")
    return Resumed(
        begun=begun,
        labels=_labels_of(found["labels"], n, k),
        means=means,
        dispersion=float(text["dispersion"]),
        since=int(text["since"]),
        course=course,
    )


def _labels_of(labels: Any, n: int, k: int) -> Any:
    """Labels that compiled loops may take for indices, which they do not check."""
    if labels.shape != (n,) or labels.dtype.kind != "u" or int(labels.max()) >= k:
        raise ValueError(f"its labels are not {n} integers in 0..{k - 1}")
    return labels


def _means_of(found: dict[str, Any], k: int) -> Means:
    """Means of the shapes that compiled loops expect."""
    of_rows = (k, int(found["means_centers"].shape[1]))
    shapes = dict.fromkeys(("centers", "places", "beyond"), of_rows)
    made = {}
    for name in Means._fields:
        array = found[f"means_{name}"]
        kind = np.int64 if name in ("members", "anchors") else np.float64
        if array.shape != shapes.get(name, (k,)) or array.dtype != kind:
            raise ValueError(f"its {name} have the shape {array.shape} and hold {array.dtype}")
        made[name] = _finite(np.ascontiguousarray(array))
    return Means(**made)


def _finite(array: Any) -> Any:
    if not np.isfinite(array).all():
        raise ValueError("its means are not finite numbers")
    return array


def _numbers(array: Any) -> Float64Array:
    if array.ndim != 1 or len(array) == 0 or array.dtype != np.float64:
        raise ValueError("its numbers are none")
    return np.asarray(_finite(array), np.float64)


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
