"""Sizes in words and in bytes, and what of the memory may be used."""

import pytest

from helpers import each
from kgroups.runtime import memory
from kgroups.runtime.memory import available_bytes, memory_limit, parsed_bytes, require

GIB = 1 << 30


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A function that writes what the system says of its memory, by the name of the file."""
    monkeypatch.setattr(memory, "Path", lambda name: tmp_path / name.replace("/", "_"))
    monkeypatch.delattr(memory.os, "sysconf", raising=False)

    def write(**texts):
        for name, text in texts.items():
            folder = "_proc_" if name == "meminfo" else "_sys_fs_cgroup_memory."
            (tmp_path / (folder + name)).write_text(text)

    return write


@each(
    ("text", "n_bytes"),
    [
        ("12", 12),
        (" 12 B ", 12),
        ("2000000", 2_000_000),
        ("1 kb", 1000),
        ("10 MB", 10_000_000),
        ("1 KiB", 1024),
        ("3mb", 3_000_000),
        ("3 MiB", 3 << 20),
        ("2GB", 2_000_000_000),
        ("1.5GiB", 3 << 29),
        ("0.5 TB", 500_000_000_000),
        ("2. TiB", 2 << 40),
    ],
)
def test_sizes_with_units(text, n_bytes):
    assert parsed_bytes(text) == memory_limit(text) == n_bytes


@each("text", ["", "GB", "-1 GB", "1 GiB 2", "1e9", "1 XB", "1 k", "1 i", ".5 B"])
def test_what_is_not_a_size(text):
    with pytest.raises(ValueError, match='a size such as "500 MB" or "2 GiB" was expected; got'):
        parsed_bytes(text)


def test_what_is_available_is_the_least_of_machine_and_container(files):
    """The container may take 4 GiB, uses 3, and would give up 1 of cached files: 2 are left."""
    files(meminfo=f"MemTotal: 99 kB\nMemAvailable: {8 * GIB // 1024} kB\n")
    assert available_bytes() == 8 * GIB
    files(max=f"{4 * GIB}\n", current=f"{3 * GIB}\n", stat=f"anon 5\ninactive_file {GIB}\nslab 7\n")
    assert available_bytes() == 2 * GIB
    assert memory_limit(None) == int(0.8 * 2 * GIB)
    files(meminfo="MemAvailable: 1024 kB\n")
    assert available_bytes() == 1 << 20
    files(max="max\n", meminfo=f"MemAvailable: {8 * GIB // 1024} kB\n")
    assert available_bytes() == 8 * GIB


def test_nobody_knows(files):
    assert available_bytes() is None
    assert memory_limit(None) is None
    files(meminfo="MemAvailable: much kB\n", max="many")
    assert available_bytes() is None
    require(10**18, what="Anything", instead="")


def test_four_fifths_of_what_is_free_may_be_used(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    require(800, what="This", instead="")
    with pytest.raises(MemoryError, match=r"^This needs 801 B, and 1000 B are free\. Use less\.$"):
        require(801, what="This", instead="Use less.")


@each("text", ["9" * 330, "9" * 5_000, "1" + "0" * 17 + " TiB"])
def test_more_bytes_than_any_machine_has(text):
    with pytest.raises(
        ValueError, match=r"^no machine has so much memory: '.{,90}; leave"
    ) as raised:
        parsed_bytes(text)
    assert len(str(raised.value)) < 200
