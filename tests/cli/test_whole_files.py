"""Files that are written whole or not at all."""

import os
import stat
import sys
from pathlib import Path

import pytest

from helpers import each, files
from kgroups.cli import main
from kgroups.cli.console import OutputError, UsageError
from kgroups.cli.whole_files import (
    check_csv_name,
    check_destinations,
    check_writable,
    write_whole,
)


def test_written_files_are_ordinary(folder):
    """Readable as the user's other files are, and a link stays a link."""
    (folder / "target").write_text("old")
    (folder / "link").symlink_to("target")
    write_whole(folder / "link", b"new")
    assert (folder / "link").is_symlink()
    assert (folder / "target").read_bytes() == b"new"
    plain = folder / "plain"
    plain.touch()
    assert (folder / "target").stat().st_mode == plain.stat().st_mode
    assert files(folder) == ["link", "plain", "target"]


def test_a_file_that_is_replaced_keeps_its_permissions(folder):
    (folder / "kept").touch()
    (folder / "kept").chmod(0o640)
    write_whole(folder / "kept", b"new")
    assert (folder / "kept").stat().st_mode & 0o777 == 0o640


def test_long_names(folder):
    """What may be written is written, and what may not is found before the work."""
    longest = os.pathconf(folder, "PC_NAME_MAX")
    path = folder / ("n" * longest)
    check_writable(path, "-o")
    write_whole(path, b"new")
    assert files(folder) == [path.name]
    with pytest.raises(OutputError, match=r"-o .*nnn cannot be written: File name too long"):
        check_writable(folder / ("n" * (longest + 1)), "-o")


def test_links_that_lead_nowhere(folder):
    (folder / "far").symlink_to(folder / "none" / "x.csv")
    with pytest.raises(
        OutputError, match=r"-o far is a link to .*none/x\.csv, in .* create .*none "
    ):
        check_writable((folder / "far").relative_to(folder), "-o")
    (folder / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=r"loop cannot be written: Too many levels"):
        check_writable(folder / "loop", "-o")
    (folder / "near").symlink_to("x.csv")
    check_writable(folder / "near", "-o")
    write_whole(folder / "near", b"new")
    assert (folder / "x.csv").read_bytes() == b"new"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder without files")
def test_a_folder_in_which_even_root_creates_nothing():
    with pytest.raises(OutputError, match=r"-o /proc.*: no file can be created in the folder"):
        check_writable(Path("/proc/kgroups.csv"), "-o")


@pytest.mark.parametrize("name", ["stdout", "stderr", "stdin"])
def test_redirected_streams_are_not_replaced(folder, monkeypatch, name):
    """The report would go to the old file, which is gone once the new one has its name."""
    (folder / "f").write_text("old")
    reads = {"DATA": "-" if name == "stdin" else "x.csv"}
    with (folder / "f").open("r" if name == "stdin" else "a") as stream:
        monkeypatch.setattr(sys, name, stream)
        (folder / "link").symlink_to("f")
        for path in (folder / "f", folder / "link"):
            with pytest.raises(UsageError, match=r"where standard .* is redirected"):
                check_destinations({"-o": path}, reads)
        check_destinations({"-o": folder / "other"}, reads)


def test_nobody_else_reads_a_private_file_while_it_is_written(tmp_path, monkeypatch):
    path, seen = tmp_path / "private.csv", []
    path.write_text("old")
    path.chmod(0o600)
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(os.fstat(fd).st_mode) or fsync(fd))
    write_whole(path, b"new")
    assert [stat.S_IMODE(mode) for mode in seen] == [0o600]
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o600)


@each("name", ["o.csv", "O.CSV", "o.txt", "o", "run.1", "/dev/stdout", "-"])
def test_names_of_csv_files_and_without_a_format(name):
    check_csv_name(Path(name), "-o")
    check_csv_name(None, "-o")


@each(
    "command",
    [["cluster", "x.csv", "-k", "2", "--append"], ["cluster", "x.csv", "--certify", "l.csv"],
     ["communities", "x.csv"]],
)  # fmt: skip
def test_a_command_that_would_write_csv_under_another_name(folder, capsys, command):
    """Before any work: there is no x.csv."""
    assert main([*command, "-o", "out.parquet"]) == 2
    assert "out.parquet" in capsys.readouterr().err
    assert files(folder) == []
