"""Files that appear whole or not at all, without the command line."""

import pytest

from kgroups.runtime.written_whole import real_path, try_to_write, written_whole


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_at_the_end_of_the_block(tmp_path):
    with written_whole(tmp_path / "a") as stream:
        stream.write(b"one")
        assert "a" not in names(tmp_path)
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"one"


def test_an_error_in_the_block_leaves_the_old_file_alone(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(TypeError), written_whole(tmp_path / "a") as stream:
        stream.write("no bytes")
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with written_whole(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert real_path(tmp_path / "link").read_bytes() == b"new"


def test_errors_of_the_system_are_passed_on(tmp_path):
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "none" / "a") as stream:
        stream.write(b"")
    with pytest.raises(FileNotFoundError):
        try_to_write(tmp_path / "none")
    try_to_write(tmp_path)
    assert names(tmp_path) == []


def test_files_that_are_written_at_once_do_not_disturb_each_other(tmp_path):
    with written_whole(tmp_path / "slow") as stream:
        stream.write(b"slow")
        with written_whole(tmp_path / "fast") as other:
            other.write(b"fast")
        try_to_write(tmp_path)
    assert (tmp_path / "slow").read_bytes() == b"slow"
    assert (tmp_path / "fast").read_bytes() == b"fast"
    assert names(tmp_path) == ["fast", "slow"]
