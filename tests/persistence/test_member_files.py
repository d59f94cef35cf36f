"""Zip files by hand: what was written comes back, and no header is believed."""

import hashlib
import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest

from kgroups.persistence.member_files import MANIFEST, MemberReader, MemberWriter


def written(path, **arrays):
    with path.open("wb") as stream:
        writer = MemberWriter(stream)
        writer.add_json("model.json", {"a": [1, "é"]})
        for name, array in arrays.items():
            writer.add_array(f"{name}.npy", array)
        writer.finish({"what": "a test"})
    return path


def forged(path, members, *, kind=zipfile.ZIP_STORED, without=()):
    """A zip file with a manifest that is right, whatever the members are."""
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    manifest = {"sha256": {name: d for name, d in digests.items() if name not in without}}
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, data in members.items():
            file.writestr(name, data)
        file.writestr(MANIFEST, json.dumps(manifest))
    return path


def npy(header, data=b""):
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


ARRAYS = {
    "rows": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4)),
    "apart": np.arange(20.0)[::3],
    "none": np.empty((0, 5), np.float32),
    "one": np.array(7, np.uint8),
    "texts": np.array(["a", "été"]),
    "truths": np.array([[True, False]]),
    "days": np.array(["2024-01-31", "NaT"], "M8[D]"),
    "other order": np.arange(3, dtype=">i4"),
    "complex": np.array([1 + 2j]),
    "large": np.arange(300_000),
}


@pytest.mark.nojit
def test_members_come_back(tmp_path):
    with written(tmp_path / "x.zip", **ARRAYS).open("rb") as stream:
        reader = MemberReader(stream)
        reader.begin()
        assert reader.json("model.json") == {"a": [1, "é"]}
        for name, array in ARRAYS.items():
            made = reader.array(f"{name}.npy")
            assert made.dtype == array.dtype
            assert made.tobytes() == array.tobytes()
            assert made.shape == array.shape
            if array.size:
                assert made.flags.f_contiguous == array.flags.f_contiguous or name == "apart"
        reader.finish()


@pytest.mark.nojit
def test_numpy_and_zipfile_read_the_file_as_well(tmp_path):
    path = written(tmp_path / "x.zip", **ARRAYS)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        assert file.namelist() == ["model.json", *(f"{name}.npy" for name in ARRAYS), MANIFEST]
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        for name, array in ARRAYS.items():
            made = np.load(io.BytesIO(file.read(f"{name}.npy")), allow_pickle=False)
            assert made.tobytes() == array.tobytes()
        manifest = json.loads(file.read(MANIFEST))
        digest = hashlib.sha256(file.read("rows.npy")).hexdigest()
    assert manifest["what"] == "a test"
    assert manifest["sha256"]["rows.npy"] == digest


@pytest.mark.nojit
def test_the_same_content_gives_the_same_bytes(tmp_path):
    first = written(tmp_path / "a.zip", **ARRAYS).read_bytes()
    assert first == written(tmp_path / "b.zip", **ARRAYS).read_bytes()


@pytest.mark.nojit
def test_a_compressed_member_is_refused(tmp_path):
    """A megabyte of zeros in a kilobyte: nothing is unpacked."""
    bomb = npy(
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({1 << 17},), }}", bytes(1 << 20)
    )
    path = forged(tmp_path / "bomb.zip", {"x.npy": bomb}, kind=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1 << 13
    with path.open("rb") as stream, pytest.raises(ValueError, match="a member is compressed"):
        MemberReader(stream)


@pytest.mark.nojit
def test_members_that_overlap_are_refused(tmp_path):
    """Many entries of one large member, as bombs without compression have them."""
    path = forged(tmp_path / "bomb.zip", {"x.npy": bytes(1 << 16)})
    data = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        start = file.start_dir
    entries = data[start : data.index(b"PK\x05\x06", start)]
    first = entries[: entries.index(b"PK\x01\x02", 4)]
    copies = b"".join(first.replace(b"x.npy", b"%05d" % i) for i in range(50))
    end = bytearray(data[data.index(b"PK\x05\x06", start) :])
    end[8:12] = (52).to_bytes(2, "little") * 2
    end[12:16] = len(entries + copies).to_bytes(4, "little")
    path.write_bytes(data[:start] + entries + copies + bytes(end))
    with path.open("rb") as stream, pytest.raises(ValueError, match="larger than the file"):
        MemberReader(stream)


@pytest.mark.nojit
def test_two_members_of_one_name_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as file:
        file.writestr(MANIFEST, "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr(MANIFEST, "{}")
    with (tmp_path / "x.zip").open("rb") as stream, pytest.raises(ValueError, match="one name"):
        MemberReader(stream)


@pytest.mark.nojit
@pytest.mark.parametrize("field", [20, 24])
def test_a_size_that_a_member_only_claims_is_refused(tmp_path, field):
    """10 GB in the list at the end of the file, as compressed or as plain size."""
    path = forged(tmp_path / "x.zip", {"x.npy": bytes(100)})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + field
    data[at : at + 4] = (4_000_000_000).to_bytes(4, "little")
    path.write_bytes(data)
    with path.open("rb") as stream, pytest.raises(ValueError, match="another size than it takes"):
        MemberReader(stream)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("header", "data", "error"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1250000000,), }", 64, "claims the sh"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 64, "of another size"),
        ("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000,), }", 0, "array of <U0"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -8), }", 64, "claims the shape"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (8,), }", 64, "array of object"),
        ("{'descr': '|V8', 'fortran_order': False, 'shape': (8,), }", 64, "is not one"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1e9,), }", 64, "shape is not valid"),
        ("{'descr': '<f8'}", 64, "does not contain the correct keys|Header"),
        ("__import__('os').abort()", 64, "(?i)header|malformed"),
    ],
)
def test_no_array_is_made_by_what_its_header_claims(tmp_path, header, data, error):
    path = forged(tmp_path / "x.zip", {"x.npy": npy(header, bytes(data))})
    tracemalloc.start()
    with path.open("rb") as stream:
        reader = MemberReader(stream)
        reader.begin()
        with pytest.raises(ValueError, match=error):
            reader.array("x.npy")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.nojit
def test_other_versions_of_the_format_of_numpy_are_refused(tmp_path):
    data = bytearray(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }"))
    data[6] = 3
    with forged(tmp_path / "x.zip", {"x.npy": bytes(data)}).open("rb") as stream:
        reader = MemberReader(stream)
        reader.begin()
        with pytest.raises(ValueError, match=r"than 1\.0"):
            reader.array("x.npy")


@pytest.mark.nojit
def test_digests_are_compared(tmp_path):
    """An altered member whose checksum in the zip file is right all the same."""
    path = written(tmp_path / "x.zip", rows=np.arange(3.0))
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members["rows.npy"] = members["rows.npy"][:-1] + b"\x41"
    members["model.json"] = members["model.json"].replace(b"1", b"2")
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    with path.open("rb") as stream:
        reader = MemberReader(stream)
        reader.begin()
        with pytest.raises(ValueError, match=r"rows\.npy was altered"):
            reader.array("rows.npy")
        with pytest.raises(ValueError, match=r"model\.json was altered"):
            reader.json("model.json")


@pytest.mark.nojit
def test_members_are_those_of_the_manifest(tmp_path):
    path = forged(tmp_path / "x.zip", {"a.npy": b"", "b.npy": b""}, without=("b.npy",))
    with path.open("rb") as stream, pytest.raises(ValueError, match="not those of its manifest"):
        MemberReader(stream).begin()


@pytest.mark.nojit
def test_a_member_that_nothing_refers_to_is_refused(tmp_path):
    with written(tmp_path / "x.zip", rows=np.arange(3.0)).open("rb") as stream:
        reader = MemberReader(stream)
        reader.begin()
        reader.json("model.json")
        with pytest.raises(ValueError, match="nothing refers to rows"):
            reader.finish()
