"""The command ``kgroups``.

Exit status: 0 success, 1 a problem with the data or the system, 2 a problem with the command line,
130 interrupted by Ctrl-C, 141 standard output was closed early.
"""

import atexit
import gc
import io
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

from kgroups.cli.interrupt import MESSAGE, STATUS, end_at_once
from kgroups.version import __version__

__all__ = ["main"]

_FAILED, _USAGE, _BROKEN_PIPE = 1, 2, 141
# New objects between two searches for garbage; Python's default is in the hundreds or thousands.
_OBJECTS_BETWEEN_COLLECTIONS = 200_000
# Folders of compiled modules that are kept: of as many versions or environments.
_FOLDERS = 4


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; None reads the arguments of the process."""
    if sys.stderr is None:  # as Python begins after 2>&-
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    if sys.stdout is None:
        print("kgroups: error: standard output is closed; redirect it to a file", file=sys.stderr)
        return _FAILED
    if argv is None:
        _begin_process()
    if find_spec("click") is None:
        print('kgroups: error: click is missing; run: pip install "kgroups[cli]"', file=sys.stderr)
        return _FAILED
    return _run(sys.argv[1:] if argv is None else list(argv))


def _run(arguments: list[str]) -> int:
    """Run a command, and turn expected errors into a message and an exit status."""
    from click import UsageError
    from click.exceptions import Exit

    from kgroups.cli.console import Console, OutputError, hush, page_of
    from kgroups.cli.options import ROOT
    from kgroups.exceptions import DataError, EigenvectorError

    console, width = Console(), page_of(sys.stdout).width
    given = SimpleNamespace(console=console, arguments=arguments)
    settings: dict[str, Any] = {"terminal_width": width, "max_content_width": width, "obj": given}
    typed = [*arguments] or ["--help"]  # which click empties
    try:
        with (
            console.warnings_as_notes(),
            ROOT.make_context("kgroups", typed, **settings) as context,
        ):
            ROOT.invoke(context)
        return 0
    except Exit as end:  # after --help
        return end.exit_code if arguments else _USAGE
    except UsageError as error:
        command = error.ctx.command_path if error.ctx else f"kgroups {arguments[0]}"
        console.error(f"{error.format_message()}\n{command} --help shows its options")
        return _USAGE
    except KeyboardInterrupt:
        console.line(MESSAGE)
        return STATUS
    except BrokenPipeError:
        hush(sys.stdout)
        return _BROKEN_PIPE
    except MemoryError as error:
        console.error(str(error) or "not enough memory")
    except (DataError, EigenvectorError, ImportError, OSError, OutputError, ValueError) as error:
        console.error(str(error))
    return _FAILED


# --- the process -----------------------------------------------------------------------------


def _begin_process() -> None:
    """What a process of the command does that a call of :func:`main` does not."""
    # Collections while libraries load take a third of a short command.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)
    if os.environ.get("PYTHONDONTWRITEBYTECODE") and sys.pycache_prefix is None:
        _keep_bytecode()
    # A parent process that had Ctrl-C ignored, as nohup does, is not overruled.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)


def _keep_bytecode() -> None:
    """Keep compiled modules in the cache folder of kgroups where they are not kept next to it.

    PYTHONDONTWRITEBYTECODE keeps the folders of packages free of ``__pycache__``, and so they stay;
    but compiling anew takes seconds of every command. Only the program does so, not the library,
    and only four such folders are left; the variable PYTHONPYCACHEPREFIX names another.
    """
    if __spec__ is None or os.path.exists(__spec__.cached or ""):
        return
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = f"{sys.implementation.cache_tag}-{__version__}-{crc32(sys.prefix.encode()):08x}"
    folder = home / "kgroups" / "modules" / name
    try:
        if not folder.exists():
            folder.mkdir(parents=True, mode=0o700)
            for old in sorted(folder.parent.iterdir(), key=os.path.getmtime)[:-_FOLDERS]:
                shutil.rmtree(old, ignore_errors=True)
        sys.pycache_prefix, sys.dont_write_bytecode = str(folder), not os.access(folder, os.W_OK)
    except OSError:  # no folder can be made
        return
