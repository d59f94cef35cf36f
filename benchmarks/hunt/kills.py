"""Kills, full disks and read-only folders: ``python -m benchmarks.hunt.kills --kills N --seed S``.

Whatever ends a command, each of its files must be as it was, absent, or as an undisturbed run
writes it; and if the command can still say something, that must name the file.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

_OLD = b"what was there before\n"
_FILLING = "filling"
_SMALL = 2_048
# A program that does nothing but write, so that most kills hit a file that is being written.
_WRITER = """
import sys
from pathlib import Path
from kgroups.runtime.written_whole import written_whole
print(flush=True)
while True:
    for letter in (b"a", b"b"):
        with written_whole(Path(sys.argv[1])) as stream:
            stream.write(letter * 3_000_000)
"""


class Command(NamedTuple):
    """A command, the files that it writes, and what an undisturbed run puts in them."""

    arguments: tuple[str, ...]
    outputs: tuple[str, ...]


_CLUSTER = ("cluster", "table.csv", "-k", "3", "--n-init", "1", "--bound", "none", "-o", "l.csv")
COMMANDS = (
    Command(_CLUSTER, ("l.csv",)),
    Command((*_CLUSTER, "--plot", "p.svg"), ("l.csv", "p.svg")),
    Command(("communities", "edges.csv", "-o", "c.csv"), ("c.csv",)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do all of it, and print what broke; 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    options = parser.parse_args(arguments)
    broken = [
        *broken_by_kills(options.kills, options.seed),
        *broken_by_kills_of_a_writer(options.kills, options.seed),
        *broken_by_full_disks(),
        *broken_by_read_only_folders(),
    ]
    for fault in broken:
        print(fault)
    print(f"2 x {options.kills} kills, full disks and read-only folders: {len(broken)} faults")
    return int(bool(broken))


def broken_by_kills(n_kills: int, seed: int) -> list[str]:
    """Kill commands at random moments, half of them over files that were there before."""
    rng = np.random.default_rng(seed)
    broken = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_data(folder)
        expected = {command: undisturbed(command, folder) for command in COMMANDS}
        for kill in range(n_kills):
            command = COMMANDS[kill % len(COMMANDS)]
            seconds, whole = expected[command]
            before = _OLD if rng.random() < 0.5 else None
            moment = seconds * rng.uniform(0.3, 1.1)
            prepare(command, folder, before)
            run_until(command, folder, moment)
            where = f"{' '.join(command.arguments)} killed after {moment:.2f} s"
            broken += [f"{where}: {fault}" for fault in faults(folder, whole, before)]
    return broken


def broken_by_kills_of_a_writer(n_kills: int, seed: int) -> list[str]:
    """Kill a program that does nothing but replace one file by another."""
    rng = np.random.default_rng(seed)
    broken = []
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "f")
        for _ in range(n_kills):
            path.unlink(missing_ok=True)
            process = subprocess.Popen(
                [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE
            )
            with process:
                process.stdout.readline()
                time.sleep(rng.uniform(0.0, 0.05))
                process.kill()
            content = path.read_bytes() if path.exists() else b""
            if content not in (b"", b"a" * 3_000_000, b"b" * 3_000_000):
                broken.append(f"a file of {len(content):,} bytes after a kill")
    return broken


def broken_by_full_disks(
    commands: Sequence[Command] = COMMANDS, contents: Sequence[bytes | None] = (None, _OLD)
) -> list[str]:
    """A limit on the size of files, and a disk of some kilobytes where one may be mounted."""
    broken = []
    with tempfile.TemporaryDirectory() as place, mounted(f"size={16 * 1024}") as disk:
        write_data(Path(place))
        for command in commands:
            # Compiled code could not be kept under the limit.
            run(command.arguments, Path(place))
            for before in contents:
                broken += refused(command, Path(place), before, limit=_SMALL)
                if disk is not None:
                    broken += refused(command, disk, before, fill=True)
    return broken


def broken_by_read_only_folders(commands: Sequence[Command] = COMMANDS) -> list[str]:
    """A folder without permission, or a disk mounted read-only for root, who needs none."""
    broken = []
    with tempfile.TemporaryDirectory() as place:
        write_data(Path(place))
        for where in read_only_folders():
            for command in commands:
                arguments = [
                    str(where / word) if word in command.outputs else word
                    for word in command.arguments
                ]
                done = run(arguments, Path(place))
                broken += message_faults(done, arguments, str(where))
                if done.stdout:
                    broken.append(f"{' '.join(arguments)}: worked before it looked")
    return broken


def read_only_folders() -> Iterator[Path]:
    """Folders in which no file can be created."""
    if os.geteuid():
        with tempfile.TemporaryDirectory() as place:
            Path(place).chmod(0o555)
            yield Path(place)
            Path(place).chmod(0o755)
    with mounted("ro") as disk:
        if disk is not None:
            yield disk
    if Path("/proc/self").is_dir():
        yield Path("/proc")


# --- one command ---------------------------------------------------------------------------------


def write_data(folder: Path) -> None:
    """A table of 600 rows and a graph of 600 nodes, in three groups each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)) + 6 * (np.arange(600) % 3)[:, None]
    rows = "".join(f"{x:.6f},{y:.6f}\n" for x, y in X)
    (folder / "table.csv").write_text(f"x,y\n{rows}")
    pairs = rng.integers(200, size=(4_000, 2)) + 200 * rng.integers(3, size=(4_000, 1))
    edges = "".join(f"{i},{j}\n" for i, j in pairs if i != j)
    (folder / "edges.csv").write_text(f"source,target\n{edges}")


def undisturbed(command: Command, folder: Path) -> tuple[float, dict[str, bytes]]:
    """How long a command takes once it has been compiled, and what it writes."""
    run(command.arguments, folder)
    begun = time.perf_counter()
    done = run(command.arguments, folder)
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise RuntimeError(done.stderr)
    return seconds, {name: (folder / name).read_bytes() for name in command.outputs}


def prepare(command: Command, folder: Path, before: bytes | None) -> None:
    """Put the outputs where a test begins: there with some content, or absent."""
    for name in command.outputs:
        (folder / name).unlink(missing_ok=True)
        if before is not None:
            (folder / name).write_bytes(before)


def run_until(command: Command, folder: Path, seconds: float) -> None:
    """Begin a command, and kill it."""
    with subprocess.Popen(
        [sys.executable, "-m", "kgroups", *command.arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()


def run(
    arguments: Sequence[str], folder: Path, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "kgroups", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
    )


def faults(folder: Path, whole: Mapping[str, bytes | None], before: bytes | None) -> list[str]:
    """Files that are neither whole, nor as before."""
    found = {
        name: (folder / name).read_bytes() if (folder / name).exists() else None for name in whole
    }
    return [
        f"{name} has {len(content or b'')} bytes, which are neither the old nor the new ones"
        for name, content in found.items()
        if content not in (before, whole[name])
    ]


def refused(
    command: Command,
    folder: Path,
    before: bytes | None,
    *,
    limit: int | None = None,
    fill: bool = False,
) -> list[str]:
    """What is wrong with a command whose files find no room."""

    def limited() -> None:
        """Limit the size of files in the child."""
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    with tempfile.TemporaryDirectory() as data:
        write_data(Path(data))
        (folder / _FILLING).unlink(missing_ok=True)
        prepare(command, folder, before)
        if fill:
            fill_up(folder)
        arguments = [
            str(folder / word)
            if word in command.outputs
            else str(Path(data, word))
            if word.endswith(".csv")
            else word
            for word in command.arguments
        ]
        done = run(arguments, folder, limited)
    left = sorted(path.name for path in folder.iterdir() if path.name.endswith(".tmp"))
    return [
        *message_faults(done, arguments, f"{folder}{os.sep}"),
        *faults(folder, dict.fromkeys(command.outputs, before), before),
        *[f"{' '.join(arguments)}: left {name}" for name in left],
    ]


def fill_up(folder: Path) -> None:
    """Take what room there is."""
    try:
        with (folder / _FILLING).open("wb", buffering=0) as stream:
            while stream.write(bytes(_SMALL)):
                pass
    except OSError:
        pass


def message_faults(
    done: subprocess.CompletedProcess[str], arguments: Sequence[str], named: str
) -> list[str]:
    """What is wrong with the error of a command that could not write."""
    found = {
        f"status {done.returncode}": done.returncode != 1,
        "a traceback": "Traceback" in done.stderr,
        f"the file is not named: {done.stderr[-300:]!r}": named not in done.stderr,
    }
    return [f"{' '.join(arguments)}: {fault}" for fault, is_so in found.items() if is_so]


@contextmanager
def mounted(options: str) -> Iterator[Path | None]:
    """A disk of its own in memory; None where that is not allowed."""
    with tempfile.TemporaryDirectory() as place:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place]
        try:
            is_there = subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            is_there = False
        try:
            yield Path(place) if is_there else None
        finally:
            if is_there:
                subprocess.run(["umount", place], check=True)


if __name__ == "__main__":
    raise SystemExit(main())
