"""Edit distances between strings, computed by rapidfuzz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from kgroups.names import EDIT_DISTANCES
from kgroups.runtime.threads import default_threads
from kgroups.semimetrics.by_strips import ByStrips
from kgroups.semimetrics.items import strings_of
from kgroups.text import counted, did_you_mean
from kgroups.typing import Data, Float64Array, FloatArray, Strip

# Classes of rapidfuzz.distance, and the pairs of characters that each compares per second on one
# core where strings are long: algorithms that treat 64 characters at once, and the others.
_IN_WORDS, _ONE_BY_ONE = 2e10, 2.5e8
_SCORERS = {
    "levenshtein": ("Levenshtein", _IN_WORDS),
    "damerau_levenshtein": ("DamerauLevenshtein", _ONE_BY_ONE),
    "osa": ("OSA", _IN_WORDS),
    "indel": ("Indel", _IN_WORDS),
    "lcs": ("LCSseq", _IN_WORDS),
    "jaro": ("Jaro", _IN_WORDS),
    "jaro_winkler": ("JaroWinkler", _IN_WORDS),
}
# Seconds on one core from which a computation is refused.
_TOO_LONG = 3 * 3600.0


@dataclass
class EditDistance(ByStrips[list[str]]):
    r"""How many edits turn one string into another.

    .. math:: ρ(x, y) = \min \{ m : m \text{ edits turn } x \text{ into } y \}

    By ``name``: "levenshtein" (insert, delete or replace a character), "damerau_levenshtein" (or
    swap two neighbors), "osa" (the same, no part edited twice), "indel" (insert or delete), "lcs"
    (length of the longer string minus that of the longest common subsequence), "jaro" and
    "jaro_winkler" (one minus the similarity of this name, in [0, 1]). Characters are compared as
    they are: upper and lower case differ. An empty string is a string like any other.

    Not of negative type in general: a fit measures by how much (``negative_type_violation_``).
    rapidfuzz does the work on all threads, one half of the pairs; the other half is a copy.
    O(n² L²/64) time for strings of length L. Memory: the matrix, 8 n² bytes, or 4 n² beyond 2,000
    strings, where float32 is exact for whole numbers and rounds the others to 7 digits. So n is at
    most √(bytes/4): 20,000 strings take 1.6 GB, and 8 GB hold 44,000.

    Parameters
    ----------
    name : str, default="levenshtein"
        One of the names above; each also works as ``metric=``.
    normalized : bool, default=False
        Divide by the largest number of edits that strings of these lengths can need, so that
        distances are in [0, 1].

    Raises
    ------
    ImportError
        Without rapidfuzz, which ``pip install kgroups[strings]`` installs.
    TypeError
        For an item that is not a string: bytes, a missing value, a number.
    ValueError
        Where the pairs would take hours: more than about 2·10¹⁴ pairs of characters
        ("damerau_levenshtein" 3·10¹²).

    Examples
    --------
    >>> EditDistance().pairwise(["kitten", "sitting", ""]).tolist()
    [[0.0, 3.0, 6.0], [3.0, 0.0, 7.0], [6.0, 7.0, 0.0]]
    >>> EditDistance("levenshtein", normalized=True).pairwise(["ab"], ["abcd"]).tolist()
    [[0.5]]

    References
    ----------
    A. Andoni, M. Deza, A. Gupta, P. Indyk and S. Raskhodnikova, "Lower Bounds for Embedding Edit
    Distance into Normed Spaces", SODA 2003, on why it is not of negative type.
    """

    name: str = "levenshtein"
    normalized: bool = False
    takes_objects: ClassVar[bool] = True

    def check(self) -> None:
        """Raise ValueError unless the name is one of those above and normalized True or False."""
        if self.name not in _SCORERS:
            raise ValueError(
                f"EditDistance: name must be one of {', '.join(EDIT_DISTANCES)}; got "
                f"{self.name!r}.{did_you_mean(self.name, EDIT_DISTANCES)}"
            )
        if not isinstance(self.normalized, (bool, np.bool_)):
            raise ValueError(f"normalized must be True or False; got {self.normalized!r}.")

    @property
    def is_negative_type(self) -> bool:
        """False: not in general."""
        return False

    @property
    def n_threads(self) -> int:
        """1, because rapidfuzz makes each strip on several threads."""
        return 1

    def read_objects(self, X: Data) -> list[str]:
        """The strings of a list, of one column or of an array."""
        return strings_of(X)

    def strips(self, items: list[str], others: list[str], dtype: DTypeLike) -> Strip:
        """Distances by rapidfuzz, whose C++ code holds no lock; errors where they take hours."""
        score = self._scorer()
        threads = default_threads()
        self._refuse_hours(items, others, threads)
        from rapidfuzz import process

        def strip(a: int, b: int, c: int) -> FloatArray:
            """Distances from strings a to b to all others from c on."""
            made: FloatArray = process.cdist(
                items[a:b], others[c:], scorer=score, dtype=dtype, workers=threads
            )
            return made

        return strip

    def _scorer(self) -> Any:
        try:
            from rapidfuzz import distance
        except ImportError as error:
            raise ImportError(
                f'metric="{self.name}" needs rapidfuzz: pip install "kgroups[strings]".'
            ) from error
        kind = getattr(distance, _SCORERS[self.name][0])
        return kind.normalized_distance if self.normalized else kind.distance

    def _refuse_hours(self, items: Sequence[str], others: Sequence[str], threads: int) -> None:
        left, right = _lengths(items), _lengths(others)
        characters = left.sum() * right.sum()
        if items is others:
            characters = (characters - left @ left) / 2
        seconds = characters / _SCORERS[self.name][1]
        if seconds <= _TOO_LONG:
            return
        longest = int(left.argmax())
        raise ValueError(
            f'metric="{self.name}" would take about {seconds / threads / 3600:.0f} hours: '
            f"{counted(len(items), 'string')} with {left.mean():,.0f} characters on average, the "
            f"longest, item {longest}, with {int(left[longest]):,}. Cut the strings, cluster some "
            "of them and predict the others, or compare words: TfidfVectorizer of scikit-learn "
            f"and a metric of rows. To compute it all the same, give the function, metric="
            f"rapidfuzz.distance.{_SCORERS[self.name][0]}.distance."
        )


def _lengths(items: Sequence[str]) -> Float64Array:
    return np.array([len(item) for item in items], np.float64)
