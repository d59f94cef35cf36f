"""Ten faults and more, planted one at a time: a hunt that misses one of them is worth nothing.

Each is a change of one line, made while the module is imported by a process of its own; no file is
touched. A failure counts if the same problem is right without the fault.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hunt.run import drawn, judged

SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A line of a module, and what stands there instead."""

    name: str
    module: str
    line: str
    instead: str
    #: "fit" or "graph": where it should be found.
    kind: str = "fit"
    #: Files whose compiled code holds the line, without their folders.
    compiled: tuple[str, ...] = ()


_HARTIGAN = "kgroups.solvers.compiled.hartigan"
_VISITS = ("hartigan", "sparse_visits", "feature_visits", "lloyd", "pair_moves", "multilevel")
FAULTS = (
    Fault(
        name="sign of a gain",
        module=_HARTIGAN,
        line="enter = (2.0 * w * sums[target, column] + g - step * mean) / (s + step)",
        instead="enter = (2.0 * w * sums[target, column] + g + step * mean) / (s + step)",
        compiled=_VISITS,
    ),
    Fault(
        name="last point may leave",
        module="kgroups.solvers.compiled.sparse_visits",
        line="if w == 0.0 or state.members[source] == 1:",
        instead="if w == 0.0:",
        kind="graph",
        compiled=_VISITS,
    ),
    Fault(
        name="rows of weight zero stay",
        module="kgroups.estimators.kernel_clustering",
        line="in in_chunks(np.flatnonzero(weights == 0)):",
        instead="in in_chunks(np.flatnonzero(weights < 0)):",
    ),
    Fault(
        name="stale sums in a block",
        module="kgroups.solvers.compiled.state",
        line="enter[c] += change",
        instead="enter[c] += 0.0 * change",
        compiled=_VISITS,
    ),
    Fault(
        name="stale sums behind a block",
        module="kgroups.gram.operator",
        line="self.table[target] += change",
        instead="self.table[target] += 0.0 * change",
    ),
    Fault(
        name="tie to the highest number",
        module=_HARTIGAN,
        line="if enter > best_enter:",
        instead="if enter >= best_enter:",
        compiled=_VISITS,
    ),
    Fault(
        name="block off by one",
        module="kgroups.solvers.sweep",
        line="position, window = stop, BLOCK",
        instead="position, window = stop + 1, BLOCK",
    ),
    Fault(
        name="objective of the start",
        module="kgroups.solvers.partition",
        line="objective=value(state),",
        instead="objective=self.history[0],",
    ),
    Fault(
        name="predict with unweighted means",
        module="kgroups.solvers.centroids",
        line="indicator[np.arange(len(self.labels)), self.labels] = self.weights",
        instead="indicator[np.arange(len(self.labels)), self.labels] = 1.0",
    ),
    Fault(
        name="history repeats itself",
        module="kgroups.solvers.partition",
        line="self.history.append(value(self.work.state))",
        instead="self.history.append(self.history[-1])",
    ),
    Fault(
        name="sums in float32",
        module="kgroups.solvers.objective",
        line="np.bincount(labels, weights=values, minlength=k), dtype=np.float64",
        instead="np.bincount(labels, values, k).astype(np.float32), dtype=np.float64",
    ),
    Fault(
        name="a start that is not the best is kept",
        module="kgroups.solvers.restarts",
        line="return new - old > self.margin * abs(old)",
        instead="return old - new > self.margin * abs(old)",
    ),
    Fault(
        name="loops counted once in modularity",
        module="kgroups.metrics.community_sums",
        line="return np.asarray(self.inside + self.cut)",
        instead="return np.asarray(self.inside + 0.999 * self.cut)",
        kind="graph",
    ),
)


def main(seed: int, names: Sequence[str] = ()) -> int:
    """Print which faults are found, after how many problems; 1 if one is missed."""
    chosen = [fault for fault in FAULTS if not names or fault.name in names]
    missed = 0
    for fault in chosen:
        begun = time.monotonic()
        found = find(fault, seed)
        seconds = time.monotonic() - begun
        missed += found is None
        what = "MISSED" if found is None else f"{fault.kind} {found[0]}: {found[1]}"
        print(f"{fault.name:40}{seconds:5.0f} s  {what[:90]}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} planted faults are found")
    return int(missed > 0)


def find(fault: Fault, seed: int, seconds: float = SECONDS) -> tuple[int, str] | None:
    """The number of the first problem that shows a fault, and how; None if there is none."""
    with _cache_without(fault.compiled) as cache, _hunting(fault, seed, seconds, cache) as lines:
        for line in lines:
            number, wrong = json.loads(line)
            try:
                right = not judged(drawn(fault.kind, seed, number))
            except Exception:  # whatever the faulty code raises is a find
                right = False
            if right:
                return number, wrong[0]
    return None


@contextmanager
def _hunting(fault: Fault, seed: int, seconds: float, cache: str) -> Iterator[Iterator[str]]:
    """What a process with the fault prints, one line per failure."""
    command = [sys.executable, "-m", "benchmarks.hunt.planted", fault.name, str(seed), str(seconds)]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield iter(process.stdout or ())
        finally:
            process.kill()


@contextmanager
def _cache_without(files: Sequence[str]) -> Iterator[str]:
    """A copy of the compiler's cache that knows nothing of some files, and is thrown away."""
    with tempfile.TemporaryDirectory(prefix="kgroups-hunt-", ignore_cleanup_errors=True) as folder:
        kept = os.environ.get("NUMBA_CACHE_DIR")
        if kept and Path(kept).is_dir():
            shutil.copytree(kept, folder, dirs_exist_ok=True)
        for file in files:
            for path in Path(folder).glob(f"*/{file}.*"):
                path.unlink()
        yield folder
