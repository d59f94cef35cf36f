"""Real words in any number: ``python -m benchmarks.words [N]`` clusters them by edit distance.

The words are those of the documentation and the source of Python's standard library, which come
with every Python: runs of letters, 2 to 20, in small ones, sorted by how often they occur, then by
alphabet. Prints whole time, peak memory, and what a fit says.
"""

from __future__ import annotations

import re
import resource
import sys
import sysconfig
import time
import warnings
from collections import Counter
from pathlib import Path

_WORD = re.compile(r"(?<![a-z])[a-z]{2,20}(?![a-z])")
#: Folders of the standard library that hold other people's programs.
_ELSEWHERE = ("site-packages", "test", "tests")


def words(n: int) -> list[str]:
    """The n most frequent words, the same on every machine with the same Python."""
    count: Counter[str] = Counter()
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if not any(part in _ELSEWHERE for part in path.relative_to(root).parts):
            count.update(_WORD.findall(path.read_text(encoding="utf-8", errors="ignore").lower()))
    ranked = sorted(count, key=lambda word: (-count[word], word))
    if len(ranked) < n:
        raise SystemExit(f"this Python has {len(ranked):,} words; ask for at most so many.")
    return ranked[:n]


def main() -> None:
    """Fit once and print the figures."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    items = words(n)
    begun = time.perf_counter()
    from kgroups import KernelKGroups

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = KernelKGroups(10, metric="levenshtein", random_state=0, verbose=True).fit(items)
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{n:,} words: {seconds:.1f} s with imports, peak {peak:.2f} GiB, {model.exactness_}")
    for warning in said:
        print(warning.message)


if __name__ == "__main__":
    main()
