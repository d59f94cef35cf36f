"""The Parquet files that are one table."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from kgroups.exceptions import DataError


def files_of(path: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[tuple[Path, str]]:
    """Files with the names by which messages call them."""
    if not isinstance(path, (str, PathLike)):
        files = [Path(file) for file in path]
        if not files:
            raise ValueError("the list of files is empty; at least one is needed.")
        same_name = len({file.name for file in files}) < len(files)
        return [(file, str(file) if same_name else file.name) for file in files]
    folder = Path(path)
    if not folder.is_dir():
        return [(folder, folder.name)]
    files = [file for file in sorted(folder.rglob("*.parquet")) if file.is_file()]
    inside = [file.relative_to(folder) for file in files]
    shown = [file for file in inside if not any(part[0] in "_." for part in file.parts)]
    if not shown:
        raise DataError(f"{folder} holds no file *.parquet whose name does not begin with _ or .")
    return [(folder / file, file.as_posix()) for file in shown]
