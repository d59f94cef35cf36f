"""The scenes by name, in the order of the table, and what they need; nothing heavy is imported."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import resolve_name


@dataclass(frozen=True)
class Part:
    """A scene: its module, the package it needs beyond the core, and the lane that plays it."""

    module: str
    lane: int
    needs: str | None = None

    @property
    def title(self) -> str:
        """Its name in messages."""
        return self.module.replace("_", " ")

    @property
    def is_playable(self) -> bool:
        """Whether what it needs is installed."""
        return self.needs is None or find_spec(self.needs) is not None

    def function(self, name: str) -> str:
        """One of its functions, by a name that another process can resolve."""
        return f"kgroups.cli.demo_scenes.{self.module}:{name}"


# The network and the report, in the lane of the customers, compile for long. The system divides two
# cores evenly among three lanes; two lanes would not take equally long.
PARTS = (
    Part("heavy_tails", lane=0),
    Part("customers", lane=0),
    Part("misspelled_names", lane=0, needs="rapidfuzz"),
    Part("network", lane=1, needs="networkx"),
    Part("proof", lane=2),
    Part("flowers", lane=0),
)
N_LANES = 3
CUSTOMERS = PARTS[1]


def prepare(functions: Iterable[str]) -> None:
    """Call the functions that load or compile what scenes of one lane need."""
    for function in functions:
        resolve_name(function)()
