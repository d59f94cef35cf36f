"""What was run, on what and by what, as far as it decides a result: the part of JSON for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kgroups.report.in_words import describe_metric
from kgroups.runtime.memory import memory_limit
from kgroups.runtime.show_versions import versions

# Parameters of estimators that decide how work is done, but no result.
_NO_SETTINGS = ("n_jobs", "verbose")


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """How to repeat a run of the command line, and how to tell that it is the same."""

    #: A line for a shell.
    command: str
    #: Every option and parameter that decides the result.
    settings: Mapping[str, Any]
    #: The name, the size and the SHA-256 of what was read; of several files one after the other.
    data: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    #: What was said on standard error.
    notes: Sequence[str] = ()
    #: Names of the columns of a table by their use.
    columns: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON has it, with the versions of the packages; no key for no columns."""
        return {
            "versions": versions(),
            "command": self.command,
            "data": dict(self.data) if isinstance(self.data, Mapping) else list(self.data),
            **({} if self.columns is None else {"columns": dict(self.columns)}),
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }


class _Estimator(Protocol):
    """Whatever tells its parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""


def parameters_of(model: _Estimator) -> dict[str, Any]:
    """The parameters of an estimator that decide its result; bytes as a number.

    >>> from kgroups import KernelKGroups
    >>> found = parameters_of(KernelKGroups(3, memory_limit="1 KiB"))
    >>> found["n_clusters"], found["memory_limit"], found["metric"]["name"]
    (3, 1024, 'energy')
    """
    found = {k: v for k, v in model.get_params(deep=False).items() if k not in _NO_SETTINGS}
    if found.get("memory_limit") is not None:
        found["memory_limit"] = memory_limit(found["memory_limit"])
    if "metric" in found:
        found["metric"] = describe_metric(found["metric"])
    return found
