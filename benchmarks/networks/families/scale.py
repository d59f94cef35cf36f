"""Very large graphs, each in a process of its own: seconds, memory, and what is found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.networks.data import Network, network_of
from benchmarks.networks.families.family import Case, Family, Line, References, Row
from benchmarks.networks.process import Run, measure
from benchmarks.networks.rivals import AUTO, FREE, LEIDEN
from benchmarks.networks.speed import DEGREE, INSIDE, K
from benchmarks.report import megabytes, number
from kgroups.graphs import planted_partition
from kgroups.metrics import modularity

STOP = 540.0  # seconds after which a clustering is given up
MILLION, HUNDRED_THOUSAND = 1_000_000, 100_000
CLIQUE = 5


class Asked(NamedTuple):
    """Limits of one case; ``k`` and ``ari`` only where communities are planted."""

    method: str
    seconds: float
    megabytes: float | None = None
    k: int | None = None
    ari: float | None = None
    as_good_as_leiden: bool = False


ASKED = {
    "planted": Asked(AUTO, 60, 3000, K, 0.99),
    "planted, modularity": Asked(FREE, 60, as_good_as_leiden=True),
    "components": Asked(AUTO, 30),
    "star": Asked(AUTO, 30),
    "path": Asked(AUTO, 30),
}


def cases() -> list[Case]:
    """One case per graph and objective."""
    return [Case("scale", name) for name in ASKED]


def network(name: str) -> Network:
    """A million nodes and ten million edges, many components, one hub, no hub at all."""
    if name.startswith("planted"):
        return network_of("planted", *planted_partition(MILLION, K, DEGREE, INSIDE, random_state=0))
    if name == "components":
        first, second = np.triu_indices(CLIQUE, 1)
        starts = CLIQUE * np.arange(HUNDRED_THOUSAND)[:, None]
        ends = [(starts + end).ravel() for end in (first, second)]
        return Network(name, CLIQUE * HUNDRED_THOUSAND, *ends)
    if name == "star":
        leaves = np.arange(1, MILLION + 1)
        return Network(name, MILLION + 1, np.zeros_like(leaves), leaves)
    return Network(
        name, HUNDRED_THOUSAND, np.arange(HUNDRED_THOUSAND - 1), np.arange(1, HUNDRED_THOUSAND)
    )


def run(case: Case) -> Row:
    """One clustering in a fresh process, compiled."""
    graph = network(case.name)
    found = measure(ASKED[case.name].method, graph, 0, STOP)
    return _row(found, graph)


def peers(case: Case) -> Row:
    """Leiden's modularity where ours is compared with it."""
    if not ASKED[case.name].as_good_as_leiden:
        return {}
    graph = network(case.name)
    return {"Leiden": _row(measure(LEIDEN, graph, 0, STOP), graph)}


def _row(found: Run, graph: Network) -> Row:
    row: Row = {
        "read_seconds": found.read_seconds,
        "seconds": found.seconds,
        "megabytes": None if found.peak_bytes is None else found.peak_bytes / 1e6,
        "note": found.note,
        "k": None,
        "modularity": None,
        "ari": None,
    }
    if found.labels is not None:
        row["k"] = len(np.unique(found.labels))
        row["modularity"] = float(modularity(graph.adjacency, found.labels))
        if graph.truth is not None:
            row["ari"] = float(adjusted_rand_score(graph.truth, found.labels))
    return row


def lines(rows: list[Row], references: References) -> list[Line]:
    """One line per case."""
    return [_line(row, references.get(row["key"], {}).get("Leiden", {})) for row in rows]


def _line(row: Row, leiden: Row) -> Line:
    name = row["key"].split(" | ")[1]
    cells = (
        name,
        number(row["seconds"], ".1f"),
        megabytes(None if row["megabytes"] is None else row["megabytes"] * 1e6),
        "-" if row["k"] is None else str(row["k"]),
        number(row["modularity"], ".6f"),
        number(row["ari"], ".4f"),
        number(leiden.get("modularity"), ".6f"),
        number(leiden.get("seconds"), ".1f"),
    )
    return Line(cells, "; ".join(_missed(row, ASKED[name], leiden)))


def _missed(row: Row, asked: Asked, leiden: Row) -> Iterator[str]:
    if row["seconds"] is None:
        yield row["note"]
        return
    if row["seconds"] > asked.seconds:
        yield f"takes more than {asked.seconds:g} s"
    if asked.megabytes is not None and row["megabytes"] > asked.megabytes:
        yield f"takes more than {asked.megabytes:,.0f} MB"
    if asked.k is not None and row["k"] != asked.k:
        yield f"finds {row['k']}, not {asked.k}"
    if asked.ari is not None and row["ari"] < asked.ari:
        yield f"ARI is below {asked.ari}"
    if asked.as_good_as_leiden and not row["modularity"] >= (leiden.get("modularity") or 1):
        yield "modularity is below that of Leiden, or no figure of Leiden is kept"


FAMILY = Family(
    name="scale",
    question="very large graphs: 10^6 nodes and 10^7 edges in 60 s and 3 GB, the others in 30 s",
    titles=("graph", "seconds", "MB", "k", "modularity", "ARI", "Leiden", "s"),
    cases=cases,
    run=run,
    lines=lines,
    peers=peers,
    alone=True,
)
