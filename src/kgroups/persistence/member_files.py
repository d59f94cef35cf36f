"""The zip file of a model: members without compression, the digest of each, and bounded reading.

Nothing is allocated by what a header claims: a member is as large as the part of the file that it
takes, which is known, and an array is as large as its member.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

#: The list of members, with the digest of each.
MANIFEST = "manifest.json"
# The first date that a zip file knows, so that the same model gives the same bytes.
_NO_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX, _READABLE = 3, 0o644 << 16
_AT_ONCE = 1 << 20
#: Types of arrays, which mean the same everywhere.
KINDS = "biufcUmM"
_WIDEST = 8


class MemberWriter:
    """Writes members one after the other, and keeps their digests."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)
        #: SHA-256 of each member, by its name.
        self.digests: dict[str, str] = {}

    def add(self, name: str, pieces: Iterable[Any], size: int) -> None:
        """Write a member of that many bytes."""
        info = zipfile.ZipInfo(name, _NO_DATE)
        info.create_system, info.external_attr, info.file_size = _UNIX, _READABLE, size
        digest = hashlib.sha256()
        with self._zip.open(info, "w") as member:
            for piece in pieces:
                digest.update(piece)
                member.write(piece)
        self.digests[name] = digest.hexdigest()

    def add_json(self, name: str, content: Any) -> None:
        """Write a value as JSON, in ASCII."""
        text = json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")
        self.add(name, [text], len(text))

    def add_array(self, name: str, array: NDArray[Any]) -> None:
        """Write an array as NumPy's own files have it; only rows apart in memory are copied."""
        header = io.BytesIO()
        npy.write_array_header_1_0(header, npy.header_data_from_array_1_0(array))
        begin = header.getvalue()
        in_order = array.T if array.flags.f_contiguous else np.ascontiguousarray(array)
        data = in_order.reshape(-1).view(np.uint8) if array.nbytes else np.empty(0, np.uint8)
        self.add(name, [begin, data.data], len(begin) + array.nbytes)

    def finish(self, about: dict[str, Any]) -> None:
        """Write the manifest, and the list of members that ends the file."""
        self.add_json(MANIFEST, {**about, "sha256": dict(self.digests)})
        self._zip.close()


class MemberReader:
    """Reads members; ValueError, or what zipfile raises, for a file that is damaged."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(stream)
        self._infos = _checked(self._zip.infolist(), os.fstat(stream.fileno()).st_size)
        self.manifest: dict[str, Any] = json.loads(self._bytes(MANIFEST))
        self._unread: dict[str, str] = {}

    def begin(self) -> None:
        """Check that the members are those of the manifest."""
        digests = self.manifest["sha256"]
        if {MANIFEST, *digests} != set(self._infos):
            raise ValueError("its members are not those of its manifest")
        self._unread = dict(digests)

    def json(self, name: str) -> Any:
        """A member as a value of JSON."""
        content = self._bytes(name)
        self._compare(name, hashlib.sha256(content))
        return json.loads(content)

    def array(self, name: str) -> NDArray[Any]:
        """A member as an array."""
        size = self._infos[name].file_size
        with self._zip.open(self._infos[name]) as member:
            head = io.BytesIO(member.read(min(size, _AT_ONCE)))
            shape, dtype, is_by_columns = _header(head, size)
            flat = np.empty(math.prod(shape), dtype)
            view = flat.view(np.uint8) if flat.nbytes else np.empty(0, np.uint8)
            digest = hashlib.sha256(head.getvalue())
            at = len(rest := head.read())
            view[:at] = np.frombuffer(rest, np.uint8)
            while at < len(view):
                piece = member.read(_AT_ONCE)
                if not piece:
                    raise EOFError(f"{name} ends too early")
                digest.update(piece)
                view[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
                at += len(piece)
        self._compare(name, digest)
        return flat.reshape(shape[::-1]).T if is_by_columns else flat.reshape(shape)

    def finish(self) -> None:
        """Check that all members were read, so that no part of the file was left unchecked."""
        if self._unread:
            raise ValueError(f"nothing refers to {min(self._unread)}")

    def _bytes(self, name: str) -> bytes:
        return self._zip.read(self._infos[name])

    def _compare(self, name: str, digest: Any) -> None:
        """ValueError for a member with another digest than that of the manifest."""
        if self._unread.pop(name) != digest.hexdigest():
            raise ValueError(f"{name} was altered")


def _checked(infos: list[zipfile.ZipInfo], size: int) -> dict[str, zipfile.ZipInfo]:
    """Members by name; ValueError for what could take more memory than the file has bytes."""
    if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
        raise ValueError("a member is compressed")
    if any(info.file_size != info.compress_size for info in infos):
        raise ValueError("a member claims another size than it takes")
    if sum(info.file_size for info in infos) > size:
        raise ValueError("its members claim to be larger than the file")
    by_name = {info.filename: info for info in infos}
    if len(by_name) != len(infos):
        raise ValueError("two members have one name")
    return by_name


def _header(head: IO[bytes], size: int) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Shape, type and order of an array, which takes all of its member after the header."""
    if npy.read_magic(head) != (1, 0):
        raise ValueError("an array has another version of NumPy's format than 1.0")
    shape, is_by_columns, dtype = npy.read_array_header_1_0(head)
    check_type(dtype)
    if any(length < 0 for length in shape):
        raise ValueError(f"an array claims the shape {shape}")
    if math.prod(shape) * dtype.itemsize != size - head.tell():
        raise ValueError(f"an array claims the shape {shape}, and its member is of another size")
    return shape, dtype, is_by_columns


def check_type(dtype: np.dtype[Any]) -> None:
    """ValueError for arrays that mean something else on another machine, or nothing at all."""
    most = 2 * _WIDEST if dtype.kind == "c" else _WIDEST
    is_wide = dtype.kind != "U" and dtype.itemsize > most
    if dtype.kind not in KINDS or dtype.itemsize == 0 or is_wide:
        raise ValueError(f"an array of {dtype} is not one that a file of a model holds")
