"""The command ``kgroups``.

Exit status: 0 done, 1 something is wrong with the data or the system, 2 with the command line,
130 stopped by Ctrl-C, 141 nobody reads the output.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from pkgutil import resolve_name

from kgroups.cli.console import Console, say, wants_color
from kgroups.cli.errors import OutputError, UsageError
from kgroups.cli.interrupt import (
    end_on_interrupt,
    hush_stdout,
    interrupted,
    keeping,
    raised_interrupt,
)
from kgroups.cli.output import check_folder, make_folder, write_whole
from kgroups.cli.parser import add_seed, make_parser
from kgroups.cli.pictures import has_matplotlib, saved

# The command, and what one of another package is made of.
__all__ = [
    "Console",
    "OutputError",
    "UsageError",
    "add_seed",
    "check_folder",
    "has_matplotlib",
    "keeping",
    "main",
    "make_folder",
    "raised_interrupt",
    "saved",
    "say",
    "wants_color",
    "write_whole",
]

Command = Callable[[Namespace, Console], None]

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


def _command(name: str) -> Command:
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
        # By name: the experiments of the papers are another package, which reads from this one.
        reproduce: Command = resolve_name("kgroups_papers.command:reproduce")
        return reproduce
    from kgroups.cli.demo import demo

    return demo


def _failed(console: Console, message: str) -> int:
    console.error(message)
    return _FAILED
