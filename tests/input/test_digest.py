"""Digests of files and of what is left of a stream."""

import hashlib
import io

import pytest

from kgroups.input.digest import sha256_of, sha256_of_rest
from kgroups.input.table_files import read_table

# As FIPS 180-4 has it.
OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_digest_of_a_file_and_of_the_rest_of_a_stream(folder):
    (folder / "x").write_bytes(b"abc")
    assert sha256_of("x") == OF_ABC
    stream = io.BytesIO(b"---abc")
    stream.seek(3)
    assert sha256_of_rest(stream) == OF_ABC


def test_a_file_is_read_in_pieces():
    class Large(io.RawIOBase):
        left, largest = 5 << 20, 0

        def read(self, size=-1):
            assert size > 0
            size = min(size, self.left)
            self.left -= size
            self.largest = max(size, self.largest)
            return bytes(size)

    stream = Large()
    assert sha256_of_rest(stream) == hashlib.sha256(bytes(5 << 20)).hexdigest()
    assert stream.largest <= 1 << 20


@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_a_table_has_a_digest_only_if_it_was_asked_for(folder, name):
    (folder / name).write_bytes(b"1\n2\n3\n")
    assert read_table(name).sha256 is None
    assert read_table(name, digest=True).sha256 == sha256_of(name)
