"""What a report of communities says of the search that found them."""

from __future__ import annotations

import numbers
from collections import Counter
from typing import Any, NamedTuple

from kgroups.fit.fitted import FittedGraphKGroups
from kgroups.fit.starts_at_best import starts_at_best
from kgroups.report.community_number import Decision
from kgroups.report.run_record import parameters_of

# Objectives that have a resolution.
_WITH_RESOLUTION = ("modularity", "cpm")
# Parameters that are for tables.
_OF_TABLES = ("affinity", "n_neighbors")
# What starts are that have no partner to be compared with.
_START_WORDS = {"levels": "levels (nodes are merged step by step, then moved at each step back)"}
# What came of several starts together, after them.
_AGREED = "agreed"


class Starts(NamedTuple):
    """The kind of each start and what it competed by, larger is better."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    selected_by: str
    best: int

    @property
    def kept(self) -> str:
        """The kind of the one that was kept."""
        return self.names[self.best]

    @property
    def n_at_best(self) -> int:
        """How many ended at its value."""
        return starts_at_best(self.values, self.values[self.best])

    def in_words(self) -> list[tuple[str, str]]:
        """Lines on the starts, and on the one that was kept.

        >>> Starts(("belief", "spectral"), (1.0, 2.0), "objective", 1).in_words()[1]
        ('best start', 'spectral (by the objective); 1 of 2 starts agree')
        """
        if len(self.names) == 1:
            return [("start", _START_WORDS.get(self.kept, self.kept))]
        kinds = ", ".join(f"{count} {name}" for name, count in Counter(self.names).items())
        judge = "likelihood" if self.selected_by == "likelihood" else "the objective"
        agree = f"{self.n_at_best} of {len(self.names)} starts agree"
        return [
            ("starts", f"{len(self.names)}: {kinds}"),
            ("best start", f"{self.kept} (by {judge}); {agree}"),
        ]


def search_of(model: FittedGraphKGroups) -> dict[str, Any]:
    """What the estimator keeps of its search, by the names of the report's fields."""
    decision, state = Decision.of(model), model.random_state
    uses_r = "bethe_hessian" in (decision.chosen_by, model.chosen_objective_)
    r = float(model.r_) if uses_r else None
    has_resolution = model.chosen_objective_ in _WITH_RESOLUTION
    n_init = sum(name != _AGREED for name in model.start_names_)
    settings = {k: v for k, v in parameters_of(model).items() if k not in _OF_TABLES}
    return {
        "component_sizes": tuple(model.component_sizes_.tolist()),
        "decision": decision,
        "objective": str(model.chosen_objective_),
        "objective_value": float(model.objective_),
        "resolution": decision.resolution if has_resolution else None,
        "starts": Starts(
            tuple(model.start_names_),
            tuple(map(float, model.start_values_)),
            model.selected_by_,
            int(model.best_start_),
        ),
        "n_iter": int(model.n_iter_),
        "n_moves": int(model.n_moves_),
        "converged": bool(model.converged_),
        "exactness": str(model.exactness_),
        "r": r,
        "settings": {**settings, "r": r, "n_init": n_init},
        "random_state": int(state) if isinstance(state, numbers.Integral) else None,
    }
