"""Long tables are read by compiled code: always the table, or the error, of the other reader."""

import io
import random

from helpers import each
from kgroups.exceptions import DataError
from kgroups.input.table_files import delimited, line_blocks
from kgroups.input.table_files.delimited import read_delimited
from kgroups.input.table_files.text_format import TextFormat

PLAIN = ["0", "1", "-7", "3.25", "-0.0", "1e5", "2.5E-3", "12.345", "0.500", "1234567890123456789"]
HOSTILE = [
    "", " ", "NA", "nan", "-nan", "?", "null", "inf", "-Infinity", "1e400", "-1e400", "1e-400",
    "5e-324", "2.2250738585072011e-308", "9007199254740993", "18446744073709551617", "0x1F",
    "1_000", "+4", ".5", "5.", ".", "-", "e5", "1e", "1e+", "1e99999", "--1", "1 ", " 1", "\t1",
    "1\t", "1 2", "1,000", "1.000", "1.234.567", "1.234e5", "1'000", "\u22125", "1\u00a0000",
    "\u0663", "5 %", "5%", '"1"', '"1,5"', '"1.5"', '" 2"', '"2 "', '""', '"', '"a', '"a""b"',
    '"a"b', 'a"b', '"a\nb"', "a\rb", "abc", "true", "False", "2020-01-01", "007", "é", "\0",
    "0" * 30 + "1", "0." + "3" * 40, "1" * 25, "12345678901234567890.5e-3", "0.1e-5", "1e5.0",
    "1.5.2", "-.5e-3", "NAN", "1d5", "-999",
]  # fmt: skip
ENDS = ["\n", "\r\n", "\n", "\n", " \n", "\r"]


def outcome(content, monkeypatch, *, long, **given):
    """The table as comparable values, or the message."""
    monkeypatch.setattr(delimited, "_LONG", long)
    try:
        table = read_delimited(io.BytesIO(content), "x.csv", TextFormat(**given))
    except DataError as error:
        return str(error)
    columns = [
        column.tolist() if column.dtype == object else column.tobytes() for column in table.columns
    ]
    kinds = [column.dtype for column in table.columns]
    return (
        table.names, kinds, columns, table.lines.tolist(), table.lines.dtype, table.has_header,
        table.notes, table.text, table.unnamed, table.booleans,
    )  # fmt: skip


def assert_same(content, monkeypatch, **given):
    fast = outcome(content, monkeypatch, long=0, **given)
    assert fast == outcome(content, monkeypatch, long=1 << 22, **given), (content, given)


def random_table(draw):
    """Text of a few rows, plain but for a few fields, lines or ends."""
    delimiter = draw.choice(",,,;\t| ")
    width, height = draw.randrange(1, 5), draw.randrange(1, 9)
    rows = [[draw.choice(PLAIN) for _ in range(width)] for _ in range(height)]
    for _ in range(draw.choice([0, 1, 1, 2, 6])):
        draw.choice(rows)[draw.randrange(width)] = draw.choice(HOSTILE)
    if draw.random() < 0.3:
        column, kinds = draw.randrange(width), draw.choices(HOSTILE, k=2)
        for row in rows:
            row[column] = draw.choice(kinds)
    if draw.random() < 0.1:
        draw.choice(rows).append("1")
    if draw.random() < 0.6:
        rows.insert(0, draw.choices(["x", "y z", '"q"', "", "1", "w"], k=width))
    if draw.random() < 0.1:
        rows.insert(draw.randrange(len(rows) + 1), [draw.choice(["", " ", "\t"])])
    end = draw.choice(ENDS[:3])
    lines = [
        delimiter.join(row) + (draw.choice(ENDS) if draw.random() < 0.02 else end) for row in rows
    ]
    text = "".join(lines)
    text = draw.choice(["", "", "", "\ufeff", f"sep={delimiter}\n"]) + text
    if draw.random() < 0.3:
        text = (
            text.rstrip("\n")
            if draw.random() < 0.5
            else text + draw.choice(["\n", " \n\n", "\r\n"])
        )
    given = {}
    if draw.random() < 0.2:
        given["delimiter"] = delimiter
    if draw.random() < 0.2:
        given["decimal"] = draw.choice(".,")
    if draw.random() < 0.2:
        given["na_values"] = draw.choice([("-999",), ("abc", "1"), ("1.000",)])
    if draw.random() < 0.1:
        given["skip_lines"] = draw.choice([(1,), (1, 2), (3,), (99,)])
    if draw.random() < 0.1:
        given["as_text"] = ("x", "1")
    encoding = draw.choice(["utf-8", "utf-8", "utf-8", "latin-1", "utf-16"])
    if draw.random() < 0.5 and encoding != "utf-8":
        given["encoding"] = encoding
    return text.encode(encoding, "replace"), given


@each("seed", range(4))
def test_tables_and_errors_are_those_of_the_other_reader(seed, monkeypatch):
    draw = random.Random(seed)  # noqa: S311
    for _ in range(300):
        monkeypatch.setattr(line_blocks, "_BYTES_AT_ONCE", draw.choice([1, 7, 20, 1 << 21]))
        content, given = random_table(draw)
        assert_same(content, monkeypatch, **given)
