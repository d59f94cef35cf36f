"""Files that somebody has changed are refused, before compiled loops see what they hold."""

import io
import json
import zipfile

import numpy as np
import pytest

from helpers import each
from kgroups.exceptions import DataError
from kgroups.fit.checkpoint import Checkpoint
from kgroups.gram.squared_rows import Embedding
from kgroups.solvers.means import Means

N, K, RANK = 30, 3, 2
SETTINGS = {"rows": "30 of 2 columns", "n_clusters": K}


def arrays(**changes):
    """What a checkpoint of a sketch holds."""
    text = {
        "version": 2,
        "settings": SETTINGS,
        "course": {"n_iter": 2, "n_moves": 9, "fallen": [0, 1, 2.5], "lowest": 5.0, "floor": 0.0},
        "dispersion": 4.5,
        "since": 3,
        "starts_unit": 2.0,
        "error": 0.25,
        "names": ["k-means++ 1"],
    }
    text.update(changes.pop("text", {}))
    for name in changes.pop("without", ()):
        text.pop(name, None)
    made = {
        "labels": (np.arange(N) % K).astype(np.uint8),
        "rises_0": np.array([1.0, 2.0]),
        "landmarks": np.zeros((5, 2)),
        "means_weight": np.ones(K),
        "means_members": np.full(K, 10),
        "means_centers": np.zeros((K, RANK)),
        "means_anchors": np.zeros(K, np.int64),
        "means_rest": np.ones(K),
        "means_places": np.zeros((K, RANK)),
        "means_beyond": np.zeros((K, RANK)),
        "text": np.frombuffer(json.dumps(text).encode(), np.uint8),
    }
    return {name: array for name, array in {**made, **changes}.items() if array is not None}


def checkpoint(folder, **changes):
    path = folder / "fit.kg"
    with path.open("wb") as file:
        np.savez(file, **arrays(**changes))
    return Checkpoint(path=str(path), settings=SETTINGS)


def test_what_was_written_is_read(tmp_path):
    found = checkpoint(tmp_path).load(N, K)
    assert found.labels.tolist() == (np.arange(N) % K).tolist()
    assert found.means.weight.tolist() == [1.0] * K
    assert set(Means._fields) == set(found.means._fields)
    assert (found.dispersion, found.since, found.begun.error) == (4.5, 3, 0.25)
    assert found.course.fallen == [0, 1, 2.5]
    assert found.begun.runs.names == ("k-means++ 1",)
    assert found.begun.runs.partitions[0].rises.tolist() == [1.0, 2.0]


def test_the_map_of_squared_distances_is_read(tmp_path):
    scales = {"embedding_scales": np.array([2.0, 0.5]), "landmarks": None}
    vectors = {"embedding_first": np.ones(2), "embedding_mean": np.zeros(2)}
    found = checkpoint(tmp_path, **scales, **vectors).load(N, K).begun.landmarks
    assert isinstance(found, Embedding)
    assert (found.unit, found.scale, found.first.tolist()) == (2.0, 0.5, [1.0, 1.0])


def test_where_there_is_no_file_nothing_is_known(tmp_path):
    assert Checkpoint(path=str(tmp_path / "none.kg"), settings=SETTINGS).load(N, K) is None


@each(
    "changes",
    [
        {"labels": np.full(N, K, np.uint8)},
        {"labels": np.full(N, 1.5)},
        {"labels": np.full(N, -1, np.int8)},
        {"labels": np.zeros(N - 1, np.uint8)},
        {"labels": np.zeros((N, 1), np.uint8)},
        {"labels": None},
        {"means_centers": np.zeros((K + 1, RANK))},
        {"means_centers": np.full((K, RANK), np.nan)},
        {"means_centers": None},
        {"means_members": np.ones(K)},
        {"means_anchors": np.zeros(K - 1, np.int64)},
        {"means_places": np.zeros((K, RANK + 1))},
        {"means_weight": np.array([1.0, np.inf, 1.0])},
        {"rises_0": np.zeros((2, 2))},
        {"rises_0": np.empty(0)},
        {"rises_0": None},
        {"landmarks": None},
        {"text": {"dispersion": "much"}},
        {"text": {"course": {"n_iter": 7, "fallen": [0.0]}}},
        {"text": {"course": {"steps": 7}}},
        {"text": {"names": []}},
        {"without": ["settings"]},
        {"without": ["course"]},
        {"without": ["version"]},
    ],
)
def test_what_does_not_fit_the_rows_is_damaged(tmp_path, changes):
    with pytest.raises(DataError, match=r"fit\.kg is damaged or no checkpoint"):
        checkpoint(tmp_path, **changes).load(N, K)


def test_arrays_that_would_grow_when_they_are_read_are_refused(tmp_path):
    path = tmp_path / "fit.kg"
    np.savez_compressed(tmp_path / "packed.npz", **arrays(landmarks=np.zeros((10**6, 2))))
    (tmp_path / "packed.npz").rename(path)
    with pytest.raises(DataError, match="its arrays are compressed"):
        Checkpoint(path=str(path), settings=SETTINGS).load(N, K)


def test_sizes_that_a_file_claims_are_looked_at_first(tmp_path):
    """A member that claims to hold terabytes is not read."""
    held = io.BytesIO()
    np.savez(held, **arrays())
    data = bytearray(held.getvalue())
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as members:
        size = members.infolist()[0].file_size.to_bytes(4, "little")
    data[data.rfind(size) : data.rfind(size) + 4] = (2**32 - 2).to_bytes(4, "little")
    path = tmp_path / "fit.kg"
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="damaged or no checkpoint"):
        Checkpoint(path=str(path), settings=SETTINGS).load(N, K)


@each("seed", range(40))
def test_a_flipped_bit_is_an_error_of_the_data_or_changes_nothing_that_counts(tmp_path, seed):
    rng = np.random.default_rng(seed)
    held = checkpoint(tmp_path)
    path = tmp_path / "fit.kg"
    data = bytearray(path.read_bytes())
    data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(bytes(data))
    try:
        found = held.load(N, K)
    except DataError:
        return
    assert found.labels.shape == (N,)
    assert found.labels.max() < K
    assert np.isfinite(found.means.centers).all()
