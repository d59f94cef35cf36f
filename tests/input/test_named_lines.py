"""Long lists of edges between names are read by compiled code: always as the other reader would."""

import random

from helpers import each
from kgroups.exceptions import DataError
from kgroups.graphs import read_graph
from kgroups.input.graph_files import named_lines
from kgroups.input.table_files import line_blocks

NAMES = [
    "a",
    "b",
    "node12",
    "a longer name",
    "x" * 9,
    "x" * 8 + "y",
    "7",
    "10",
    "TP53",
    "é",
    "ab1234567890123456",
]
WORDS = [name for name in NAMES if " " not in name]
HOSTILE = [
    "", " ", "NA", "nan", "source", "target", "u", "v", '"q"', '"a,b"', '" q "', '"a""b"', '"a',
    'a"b', "#a", '"#a"', "%", "a\tb", "a\0", "\x0b", "\x1fa", "a\u00a0", "\u00a0a", "a\u00a0b",
    "\u2003", "07", "+7", "7.0", "9223372036854775807", "9223372036854775808", "-0", "total",
    "é" * 5, "n" * 200, "\x85a",
]  # fmt: skip
WEIGHTS = ["1", "2.5", "1e-3", "0.1234567890123456", "-4", "123456789012345678901"]
HOSTILE_WEIGHTS = [
    "", "x", "nan", "inf", "1e999", "1_0", "1,5", "1.234", "5 %", '"2"', '"1,5"', "+3", "0x1",
    "\u0663", ".5", "5.",
]  # fmt: skip


def outcome(path, monkeypatch, *, long, **given):
    monkeypatch.setattr(named_lines, "_LONG", long)
    try:
        graph = read_graph(path, **given)
    except (DataError, ValueError) as error:
        return str(error)
    parts = (graph.adjacency.indptr, graph.adjacency.indices, graph.adjacency.data, graph.nodes)
    return [part.tolist() for part in parts], graph.nodes.dtype, graph.notes, graph.text


def assert_same(path, monkeypatch, **given):
    fast = outcome(path, monkeypatch, long=0, **given)
    assert fast == outcome(path, monkeypatch, long=1 << 22, **given), (path.read_bytes(), given)


def random_list(draw):
    """Text of a few edges, plain but for a few fields and lines."""
    delimiter = draw.choice([",", ",", "\t", ";", " ", " "])
    names = WORDS if delimiter == " " else NAMES
    width = draw.choice([2, 2, 3, 3, 5])
    rows = []
    for _ in range(draw.randrange(1, 9)):
        rows.append(draw.choices(names, k=2) + [draw.choice(WEIGHTS) for _ in range(width - 2)])
    for _ in range(draw.choice([0, 0, 1, 2])):
        draw.choice(rows)[draw.randrange(2)] = draw.choice(HOSTILE)
        if width > 2:
            draw.choice(rows)[2] = draw.choice(HOSTILE_WEIGHTS + 2 * WEIGHTS)
    if draw.random() < 0.05:
        draw.choice(rows).append("z")
    header = [
        ["source", "target", "weight", "x", "y"],
        ["gene1", "gene2", "score", "x", "y"],
        ["a", "b", "w", "x", "y"],
    ]
    if draw.random() < 0.5 or width == 5:
        rows.insert(0, draw.choice(header)[:width])
    if draw.random() < 0.3:
        rows.insert(
            draw.choice([0, 0, len(rows), draw.randrange(len(rows))]),
            [draw.choice(["# c", "# a,b", "%", "", " "])],
        )
    if draw.random() < 0.2:
        rows = [[f'"{field}"' for field in row] for row in rows]
    end = draw.choice(["\n", "\r\n", "\n\n", " \n"])
    blank = draw.choice(["", "", "", " "])
    text = draw.choice(["", "", "\ufeff"]) + "".join(
        (blank + delimiter).join(row) + end for row in rows
    )
    if draw.random() < 0.2:
        text = text.rstrip("\r\n")
    given = {}
    if draw.random() < 0.1:
        given["decimal"] = draw.choice(".,")
    if draw.random() < 0.1:
        given["header"] = draw.choice([True, False])
    if draw.random() < 0.1:
        given.update(source="1", target="2")
    if draw.random() < 0.1:
        given["skip_lines"] = [draw.choice([1, 2])]
    if draw.random() < 0.1:
        given["delimiter"] = delimiter
    return text.encode(draw.choice(["utf-8"] * 5 + ["latin-1"]), "replace"), given


@each("seed", range(4))
def test_lists_and_errors_are_those_of_the_other_reader(seed, tmp_path, monkeypatch):
    draw, path = random.Random(seed), tmp_path / "g.csv"  # noqa: S311
    for _ in range(200):
        monkeypatch.setattr(line_blocks, "_BYTES_AT_ONCE", draw.choice([1, 9, 40, 1 << 21]))
        content, given = random_list(draw)
        path.write_bytes(content)
        assert_same(path, monkeypatch, **given)
