"""The command ``kgroups``.

Exit status: 0 done, 1 something is wrong with the data or the system, 2 with the command line,
130 stopped by Ctrl-C, 141 nobody reads the output.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence

from kgroups.cli.console import Console
from kgroups.cli.errors import OutputError, UsageError
from kgroups.cli.interrupt import end_on_interrupt, hush_stdout, interrupted, keeping
from kgroups.cli.parser import make_parser

_FAILED, _USAGE, _INTERRUPTED, _BROKEN_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; None stands for that of the process."""
    console = Console()
    keeping()
    if argv is None:
        end_on_interrupt(console, _INTERRUPTED)
    parser = make_parser()
    try:
        options = parser.parse_args(argv)
        if options.command is None:
            parser.print_help(console.stream)
            return _USAGE
        return _run(options, console)
    except SystemExit as end:  # how argparse leaves after --help, --version and usage errors
        return end.code if isinstance(end.code, int) else _USAGE
    except KeyboardInterrupt:
        console.error(interrupted())
        return _INTERRUPTED
    except BrokenPipeError:
        hush_stdout()
        return _BROKEN_PIPE


def _run(options: Namespace, console: Console) -> int:
    """Run a subcommand, and turn what may go wrong into a message and an exit status."""
    command = _command(options.command)
    from kgroups.exceptions import DataError

    try:
        with console.warnings_as_notes():
            command(options, console)
    except UsageError as error:
        options.parser.error(str(error))
    except BrokenPipeError:
        raise
    except MemoryError as error:
        return _failed(console, str(error) or "there is not enough memory for this")
    except (DataError, OutputError, ValueError, OSError) as error:
        return _failed(console, str(error))
    return 0


def _command(name: str) -> Callable[[Namespace, Console], None]:
    """The function behind a subcommand; it brings in NumPy and more, which --help does not need."""
    if name == "cluster":
        from kgroups.cli.cluster import cluster

        return cluster
    if name == "choose-k":
        from kgroups.cli.choose_k import choose_k

        return choose_k
    if name == "communities":
        from kgroups.cli.communities import communities

        return communities
    if name == "test":
        from kgroups.cli.energy_test import energy_test

        return energy_test
    if name == "reproduce":
        from kgroups.cli.reproduce import reproduce

        return reproduce
    from kgroups.cli.demo import demo

    return demo


def _failed(console: Console, message: str) -> int:
    console.error(message)
    return _FAILED
