"""A file as it was when a source was made, so that later changes are noticed."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, stat_result
from pathlib import Path
from stat import S_ISREG

from kgroups.exceptions import DataError


@dataclass(frozen=True)
class FileState:
    """Path, size and time of the last change of a file."""

    path: Path
    n_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, path: str | PathLike[str]) -> FileState:
        """The present state of a file; DataError for a folder, a pipe or a device."""
        absolute = Path(path).absolute()
        found = absolute.stat()
        if not S_ISREG(found.st_mode):
            raise DataError(f"{absolute} is not a regular file.")
        return cls(absolute, found.st_size, found.st_mtime_ns)

    def check(self) -> None:
        """DataError if the file is gone, or its size or its modification time changed."""
        try:
            now = self.path.stat()
        except FileNotFoundError as error:
            raise DataError(
                f"{self.path} is gone since its source of rows was made; put it back, or make the "
                "source from other files."
            ) from error
        if (now.st_size, now.st_mtime_ns) != (self.n_bytes, self.modified_ns):
            raise DataError(
                f"{self.path} was changed since its source of rows was made: "
                f"{self._difference(now)}. Make the source once more."
            )

    def _difference(self, now: stat_result) -> str:
        if now.st_size != self.n_bytes:
            return f"it had {self.n_bytes:,} bytes, and has {now.st_size:,}"
        return "its size is the same, its modification time is another"
