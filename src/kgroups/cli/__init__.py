"""The command ``kgroups``.

Exit status: 0 success, 1 a problem with the data or the system, 2 a problem with the command line,
130 interrupted by Ctrl-C, 141 standard output was closed early.
"""

import atexit
import gc
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from pkgutil import resolve_name

from kgroups.cli.console import Console, OutputError, UsageError, flush_stdout, hush, show
from kgroups.cli.interrupt import INTERRUPTED, end_on_interrupt
from kgroups.cli.parser import make_parser, refuse_unknown, with_values
from kgroups.layout import Block
from kgroups.version import __version__

__all__ = ["main"]

Command = Callable[[Namespace, Console], None]

# Imported by name when they run: they bring in NumPy and more, which --help does not need.
_COMMANDS = {
    "cluster": "kgroups.cli.cluster:cluster",
    "choose-k": "kgroups.cli.choose_k:choose_k",
    "communities": "kgroups.cli.communities_command:communities",
    "predict": "kgroups.cli.predict:predict",
    "test": "kgroups.cli.energy_test:energy_test",
    "demo": "kgroups.cli.demo_command:demo",
}
_FAILED, _USAGE, _INTERRUPTED, _BROKEN_PIPE = 1, 2, 130, 141
# New objects between two searches for garbage; Python's default is in the hundreds or thousands.
_OBJECTS_BETWEEN_COLLECTIONS = 200_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; None reads the arguments of the process."""
    if sys.stderr is None:  # as Python begins where the shell was told 2>&-
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    console = Console()
    if sys.stdout is None:
        console.error("standard output is closed; redirect it to a file or to /dev/null")
        return _FAILED
    if argv is None:
        _collect_rarely()
        end_on_interrupt(console, _INTERRUPTED)
    try:
        return _parsed_and_run(argv, console)
    except KeyboardInterrupt:
        console.error(INTERRUPTED)
        return _INTERRUPTED
    except BrokenPipeError:
        hush(sys.stdout)
        return _BROKEN_PIPE
    except OutputError as error:
        console.error(str(error))
        return _FAILED


def _collect_rarely() -> None:
    """Collect garbage rarely: collections while libraries load take a third of a short command."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)


def _parsed_and_run(argv: Sequence[str] | None, console: Console) -> int:
    parser = make_parser()
    try:
        arguments = sys.argv[1:] if argv is None else list(argv)
        options, unknown = parser.parse_known_args(with_values(arguments))
        if unknown:
            refuse_unknown(options.parser if options.command else parser, unknown)
        if options.version:
            show(*_version(verbose=options.verbose))
            return 0
        options.arguments = arguments
        if options.command is None:
            parser.print_help(console.stream)
            return _USAGE
        return _run(options, console)
    except SystemExit as end:  # how argparse leaves after --help, --version and usage errors
        flush_stdout()
        return end.code if isinstance(end.code, int) else _USAGE


def _version(*, verbose: bool) -> list[Block]:
    if not verbose:
        return [[f"kgroups {__version__}"]]
    from kgroups.runtime.show_versions import installation

    return installation()


def _run(options: Namespace, console: Console) -> int:
    """Run a subcommand, and turn expected errors into a message and an exit status."""
    command: Command = resolve_name(_COMMANDS[options.command])
    from kgroups.exceptions import DataError, EigenvectorError

    try:
        with console.warnings_as_notes():
            command(options, console)
    except UsageError as error:
        options.parser.error(str(error))
    except BrokenPipeError:
        raise
    except MemoryError as error:
        console.error(str(error) or "not enough memory")
    except (ValueError, DataError, EigenvectorError, OutputError, OSError, ImportError) as error:
        console.error(str(error))
    else:
        return 0
    return _FAILED
