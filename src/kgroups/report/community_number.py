"""Why there are so many communities, in words and as JSON has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from kgroups.fit.fitted import FittedGraphKGroups
from kgroups.text import counted

#: Mean adjusted Rand index between searches below which they find different communities.
AGREEMENT = 0.65
_LARGEST = {"modularity": "modularity", "cpm": "value of the constant Potts model"}


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What decided the number of communities, and what speaks for it."""

    #: "evidence", "random graphs", "weak", "one", "objective", "spectrum" or "given".
    decided_by: str
    #: Where the number comes from: "auto", "bethe_hessian", "asked" or "init".
    chosen_by: str
    #: Bits by which communities shorten the description of the graph; None for negative weights.
    evidence: float | None
    #: Mean adjusted Rand index between independent searches; None if there was one search.
    agreement: float | None
    #: Number of communities, and bits, of other divisions.
    alternatives: tuple[tuple[int, float], ...]
    #: The objective as it was asked for, and the resolution.
    asked: str
    resolution: float

    @classmethod
    def of(cls, model: FittedGraphKGroups) -> Self:
        """What a fitted estimator says of its number of communities."""
        return cls(
            decided_by=model.decided_by_,
            chosen_by=_chosen_by(model),
            evidence=None if model.evidence_ is None else float(model.evidence_),
            agreement=None if model.agreement_ is None else float(model.agreement_),
            alternatives=tuple((int(k), float(bits)) for k, bits in model.alternatives_),
            asked=model.objective,
            resolution=float(model.resolution_),
        )

    def to_dict(self) -> dict[str, Any]:
        """The keys of JSON."""
        return {
            "chosen_by": self.chosen_by,
            "decided_by": self.decided_by,
            "evidence": self.evidence,
            "agreement": self.agreement,
            "alternatives": [
                {"n_communities": k, "evidence": bits} for k, bits in self.alternatives
            ],
        }

    def in_words(self, k: int) -> str:
        """One sentence on ``k`` communities and where their number comes from."""
        number = counted(k, "community", "communities")
        if self.chosen_by == "asked":
            return f"{number}, as requested"
        if self.chosen_by == "init":
            return f"{number}, as in the initial labels"
        if self.decided_by == "one":
            return f"no communities found: {self._none()}"
        return f"{number}, chosen automatically: {self._why(k)}"

    def _why(self, k: int) -> str:
        if self.decided_by == "spectrum":
            return self._by_eigenvalues(k) + self._again()
        if self.decided_by == "objective":
            return f"the largest {_LARGEST[self.asked]} that searches found{self._at()}"
        if self.decided_by == "evidence":
            return self._supported()
        if self.decided_by == "random graphs":
            return (
                "no division shortens the description of so small a graph, but random graphs with "
                f"the same degrees are less modular, and independent searches agree{self._so_far()}"
            )
        return (
            "a weak sign, because the graph is very small: most random graphs with the same "
            f"degrees are less modular, and independent searches agree{self._so_far()}"
        )

    def _by_eigenvalues(self, k: int) -> str:
        if k == 1:
            beyond = "" if self.evidence is not None else " that chance does not give"
            return f"the Bethe Hessian has no second negative eigenvalue{beyond}"
        if self.evidence is None:  # negative weights, where there may be one less
            return (
                "so many follow from the eigenvalues of the Bethe Hessian below what chance gives"
            )
        return f"the Bethe Hessian has {k:,} negative eigenvalues"

    def _supported(self) -> str:
        if self.asked == "auto" and self.evidence is not None:
            return (
                f"they shorten the description of the graph by {bits(self.evidence)}, and "
                f"{self._reproducible()}"
            )
        return (
            "as many as the division has that shortens the description of the graph most, and on "
            f"which independent searches agree{self._so_far()}"
        )

    def _reproducible(self) -> str:
        if self.agreement is None or self.agreement >= AGREEMENT:
            return f"independent searches agree on them{self._so_far()}"
        return (
            "the Bethe Hessian finds them again without a tenth of the edges, but other searches "
            f"agree less{self._so_far()}"
        )

    def _none(self) -> str:
        if self.agreement is not None and self.agreement < AGREEMENT:
            return f"independent searches do not agree on a division{self._so_far()}"
        return (
            "no division on which independent searches agree shortens the description of the graph"
        )

    def _so_far(self) -> str:
        """How far searches agree, between 0 and 1."""
        return "" if self.agreement is None else f" ({self.agreement:.2f})"

    def _again(self) -> str:
        """Where the rule took the eigenvalues: the communities are blurred, but found again."""
        if self.agreement is None:
            return ""
        return f", and they are found again without a tenth of the edges{self._so_far()}"

    def _at(self) -> str:
        is_plain = self.asked == "modularity" and self.resolution == 1.0
        return "" if is_plain else f" at resolution {self.resolution:.4g}"


def bits(value: float) -> str:
    """A number of bits, which are decimals only where there are few.

    >>> bits(84.31), bits(4.218), bits(1.0), bits(12345.6)
    ('84 bits', '4.2 bits', '1 bit', '12,346 bits')
    """
    shown = f"{value:,.0f}" if abs(value) >= 10 else f"{round(value, 1) + 0.0:g}"
    return f"{shown} {'bit' if shown == '1' else 'bits'}"


def _chosen_by(model: FittedGraphKGroups) -> str:
    if model.n_clusters != "auto":
        return "asked"
    if model.decided_by_ == "given":
        return "init"
    return "bethe_hessian" if model.decided_by_ == "spectrum" else "auto"
