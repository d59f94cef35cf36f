"""Fits of which a worker is killed: the answer must be the same, and it must not take much longer.

Tasks name the functions that they call, and a worker looks names up when a task arrives. So a
function of a module of the worker, replaced by one that ends the process, kills it within a task
and needs nothing of the library. The worker that is started instead has the function as it was.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from distributed import Client, LocalCluster

from benchmarks.dask_cells import differences, fit_of, fit_on_cluster, local_cluster
from benchmarks.dask_data import Data, lazy, lengths_of
from benchmarks.report import print_table
from kgroups import blocks
from kgroups.dask import ClusterError
from kgroups.typing import FloatArray

#: Stages of a fit over blocks, and what else workers do.
STAGES = (
    "scan", "landmarks", "sample", "sketch", "means", "sweep", "W", "certificate", "predict",
    "gathered",
)  # fmt: skip
_WORKERS = 2
# How much longer a fit may take besides the restart, and seconds until it must have given up. A fit
# of gathered rows is one task, which is done again from its beginning.
_LONGER, _FROM_THE_BEGINNING, _GIVES_UP = 1.5, 2.0, 60.0
# Rows that are gathered on one worker.
_GATHERED = Data("gathered", 60_000, 4, 8, spread=1.0)
# Rows whose fit loads all code.
_FEW = Data("few", 51_000, 8, 3)
# Fits without kills.
_UNDISTURBED = 3


# --- on workers -----------------------------------------------------------------------------------


def count_tasks() -> None:
    """Count the tasks of each stage on this worker from now on."""
    from kgroups.dask import kept_blocks

    plain, counts = undisturbed_blocks(), Counter[str]()

    def run_blocks(*given: Any) -> Any:
        """The function of that name, and one more task of its stage."""
        counts[stage_of_task()] += 1
        return plain(*given)

    run_blocks.counts = counts  # type: ignore[attr-defined]
    run_blocks.plain = plain  # type: ignore[attr-defined]
    kept_blocks.run_blocks = run_blocks


def counted() -> dict[str, int]:
    """The tasks of each stage on this worker."""
    from kgroups.dask import kept_blocks

    return dict(getattr(kept_blocks.run_blocks, "counts", {}))


def undisturbed_blocks() -> Any:
    """The function of the library."""
    from kgroups.dask import kept_blocks

    return getattr(kept_blocks.run_blocks, "plain", kept_blocks.run_blocks)


def stage_of_task() -> str:
    """The stage of the task that this thread is at."""
    from distributed.worker import thread_state

    return str(thread_state.key).removeprefix("kgroups-").rpartition("-")[0]


def die_in(stage: str, after: int, flag: str) -> None:
    """End this worker in the middle of a task of a stage, once so many of them are done.

    Only the first worker that creates the file ``flag`` ends.
    """
    from kgroups.dask import kept_blocks

    plain, done = undisturbed_blocks(), Counter[str]()

    def run_blocks(job: Any, constant: Any, shared: Any, source: Any, given: Any) -> Any:
        """The function of that name, or half of its work."""
        if stage_of_task() == stage:
            done[stage] += 1
            if done[stage] > after and is_first(flag):
                half = len(job.items) // 2
                job.items = job.items[:half]
                plain(job, constant, shared, source, None if given is None else given[:half])
                os.abort()
        return plain(job, constant, shared, source, given)

    run_blocks.plain = plain  # type: ignore[attr-defined]
    kept_blocks.run_blocks = run_blocks


def disturbed() -> dict[str, Any]:
    """The functions of tasks without a stage, and the module of each."""
    from kgroups.dask import gathered, predictions

    return {"predicted": predictions, "fitted": gathered}


def die_within(name: str, seconds: float, flag: str) -> None:
    """End this worker so long after a function of ``disturbed`` has been called on it."""
    module = disturbed()[name]
    plain = getattr(module, name)
    plain = getattr(plain, "plain", plain)

    def called(*given: Any) -> Any:
        """The function of that name, with not much time left."""
        if is_first(flag):
            threading.Timer(seconds, os.abort).start()
        return plain(*given)

    called.plain = plain  # type: ignore[attr-defined]
    setattr(module, name, called)


def live_on() -> None:
    """The functions of the library again."""
    from kgroups.dask import kept_blocks

    kept_blocks.run_blocks = undisturbed_blocks()
    for name, module in disturbed().items():
        plain = getattr(module, name)
        setattr(module, name, getattr(plain, "plain", plain))


def is_first(flag: str) -> bool:
    """Whether nobody has created the file before."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def die_soon() -> None:
    """End this worker when it has answered."""
    threading.Timer(0.01, os.abort).start()


def nothing() -> None:
    """Answer, and no more."""


def ready() -> None:
    """Import what tasks need, and load the code that was compiled for it."""
    import kgroups.dask  # noqa: F401

    rows = _FEW.make()
    fit_of(_FEW, "nystroem", n_init=1).fit(rows).predict(rows)
    fit_of(_FEW, "gathered proof", n_init=1).fit(rows)
    fit_of(_FEW, "proof by blocks", n_init=1).fit(blocks.from_array(rows))


# --- the benchmark --------------------------------------------------------------------------------


class Undisturbed(NamedTuple):
    """A way to an answer without kills."""

    answer: Any
    seconds: float


class Table:
    """Rows in a file, and what is done with them on a cluster."""

    def __init__(self, data: Data, folder: Path) -> None:
        self.data, self.path = data, folder / f"kills-{data.n}.npy"
        np.save(self.path, data.make())

    @property
    def rows(self) -> Any:
        """The rows as a Dask array."""
        return lazy(self.path, lengths_of("uneven", self.data.n))

    def fitted(self, client: Client, method: str, **more: Any) -> Any:
        """An estimator, fitted on the cluster."""
        return fit_on_cluster(self.data, method, client, self.rows, **more)

    def predicted(self, client: Client, model: Any) -> FloatArray:
        """The labels by a fitted estimator."""
        with client.as_current():
            return np.asarray(model.predict(self.rows).compute())


def run_kills(
    stages: Sequence[str], repeats: int, n_rows: int, seed: int, folder: Path
) -> list[str]:
    """Kill workers, print what came of it, and tell which limits are missed."""
    large = Table(Data("kills", n_rows, 8, 10, spread=1.0), folder)
    small = Table(_GATHERED, folder)
    rng, missed, rows = np.random.default_rng(seed), [], []
    with local_cluster(_WORKERS) as cluster, Client(cluster) as client:
        counts = tasks_of_stages(client, large)
        print("tasks by stage: " + ", ".join(f"{s} {n}" for s, n in counts.items()), flush=True)
        back, restart = seconds_of_restart(client)
        print(
            f"a worker is back after {back:.2f} s, and has loaded its code after {restart:.2f} s",
            flush=True,
        )
        known: dict[str, Undisturbed] = {}
        for stage in stages:
            what, work, install = _way(stage, client, large, small, counts)
            if what not in known:
                known[what] = undisturbed(work)
                print(f"{what} takes {known[what].seconds:.2f} s", flush=True)
            for repeat in range(repeats):
                flag = folder / f"killed-{stage}-{repeat}"
                row, said = killed(stage, work, known[what], restart, client, flag, install, rng)
                rows.append(row)
                missed += said
                print(f"{stage} with a kill: {row[2]} s, {row[-1]}", flush=True)
        missed += all_gone(client, cluster, large, rows)
    titles = ["stage", "seconds", "with a kill", "restart", "(kill - restart) / plain", "answer"]
    print_table(titles, rows)
    return missed


def _way(
    stage: str, client: Client, large: Table, small: Table, counts: Counter[str]
) -> tuple[str, Any, Any]:
    """What is done, by name and as work, and how workers are told to end meanwhile.

    When they end is told as a share between 0 and 1.
    """
    if stage == "predict":
        model = large.fitted(client, "nystroem")

        def die(share: float, seconds: float, flag: str) -> None:
            client.run(die_within, "predicted", share * 0.1, flag)

        return "predict", lambda: large.predicted(client, model), die
    if stage == "gathered":

        def die(share: float, seconds: float, flag: str) -> None:
            client.run(die_within, "fitted", share * seconds, flag)

        return "a fit of gathered rows", lambda: small.fitted(client, "gathered proof"), die

    def die(share: float, seconds: float, flag: str) -> None:
        client.run(die_in, stage, int(share * counts[stage]), flag)

    method = "proof by blocks" if stage == "certificate" else "nystroem"
    return f"a fit by {method}", lambda: large.fitted(client, method), die


def tasks_of_stages(client: Client, table: Table) -> Counter[str]:
    """The tasks of each stage on the worker that has fewest, which has some; it compiles, too."""
    client.run(count_tasks)
    table.fitted(client, "proof by blocks")
    each = list(client.run(counted).values())
    client.run(live_on)
    stages = {stage for counts in each for stage in counts}
    return Counter({s: min(counts[s] for counts in each if s in counts) for s in sorted(stages)})


def undisturbed(work: Any) -> Undisturbed:
    """An answer, and the median of some times."""
    answer, times = work(), []
    for _ in range(_UNDISTURBED):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return Undisturbed(answer, float(np.median(times)))


def seconds_of_restart(client: Client) -> tuple[float, float]:
    """From the end of an idle worker until another one is there, and until it has all code."""
    begun = time.perf_counter()
    first = min(client.scheduler_info(n_workers=-1)["workers"])
    client.run(die_soon, workers=[first])
    wait_until_back(client, without=first, is_ready=nothing)
    back = time.perf_counter() - begun
    client.run(ready)
    return back, time.perf_counter() - begun


def wait_until_back(
    client: Client, without: str = "", is_ready: Callable[[], None] = ready
) -> None:
    """Wait until all workers are there, and have done what makes them ready."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if len(workers) == _WORKERS and without not in workers:
            client.run(is_ready)
            return
        time.sleep(0.05)
    raise TimeoutError("no worker has come back")


def killed(
    stage: str,
    work: Any,
    plain: Undisturbed,
    restart: float,
    client: Client,
    flag: Path,
    install: Any,
    rng: np.random.Generator,
) -> tuple[list[str], list[str]]:
    """One kill: a line of the table, and limits that are missed."""
    flag.unlink(missing_ok=True)
    install(float(rng.random()), plain.seconds, str(flag))
    begun = time.perf_counter()
    answer = work()
    seconds = time.perf_counter() - begun
    time.sleep(0.2)  # until the end of a worker is noticed that dies after its work
    wait_until_back(client)
    client.run(live_on)
    said = [] if flag.exists() else [f"{stage}: no worker was killed"]
    differ = unlike(answer, plain.answer)
    if differ:
        said.append(f"{stage}: {', '.join(differ)} differ")
    longer = _FROM_THE_BEGINNING if stage == "gathered" else _LONGER
    limit = longer * plain.seconds + restart
    if seconds > limit:
        said.append(f"{stage}: {seconds:.2f} s with a kill, limit {limit:.2f} s")
    ratio = (seconds - restart) / plain.seconds
    row = [stage, *(f"{t:.2f}" for t in (plain.seconds, seconds, restart, ratio))]
    return [*row, "other" if differ else "equal"], said


def unlike(answer: Any, plain: Any) -> list[str]:
    """What is not equal in two answers."""
    if isinstance(answer, np.ndarray):
        return [] if np.array_equal(answer, plain) else ["labels"]
    return differences(answer, plain)


def all_gone(
    client: Client, cluster: LocalCluster, table: Table, rows: list[list[str]]
) -> list[str]:
    """All workers end during a sweep: an error in time."""
    gone: list[float] = []

    def told(event: Any) -> None:
        """Take the workers away once the first sweep is over."""
        if event.phase == "sweep" and not gone:
            gone.append(time.perf_counter())
            cluster.scale(0)

    try:
        table.fitted(client, "nystroem", verbose=told)
    except ClusterError as error:
        seconds = time.perf_counter() - gone[0]
        print(f"all workers killed: after {seconds:.1f} s {error}")
        rows.append(["all", "-", f"{seconds:.2f}", "-", "-", "ClusterError"])
        is_late = seconds > _GIVES_UP
        return [f"all workers killed: an error after {seconds:.1f} s"] if is_late else []
    return ["all workers killed: no error"]
