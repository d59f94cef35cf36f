"""Files that are written whole or not at all."""

from helpers import files
from kgroups.cli.whole_files import write_whole


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
