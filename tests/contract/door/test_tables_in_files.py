"""Files of tables through the command line: the columns, values and gaps that they hold."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from door_tables import (
    AB,
    FRAME,
    FRAME_FILES,
    PLAIN,
    TABLES,
    assert_columns,
    mixed_clusters,
    refusal,
    rows_in,
    run,
    texts_in,
    written,
)
from kgroups import KernelKGroups


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_numbers(tmp_path, name):
    content, expected, options = TABLES[name]
    assert_columns(written(tmp_path, name, content), expected, *options)


def test_arrays_of_any_type(tmp_path):
    values = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    for kind in (np.float64, np.float32, np.int8, np.uint16, bool):
        for order in "CF":
            path = tmp_path / f"{np.dtype(kind).name}{order}.npy"
            np.save(path, np.array(values, kind, order=order))
            np.testing.assert_array_equal(rows_in(path, 3), values, err_msg=path.name)


def test_sparse_rows(tmp_path):
    dense = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [-3, 0, 0, 0], [0, 0, 4, 5]])
    for layout in ("csr", "csc", "coo", "bsr", "dia"):
        for kind in (np.float64, np.float32, np.int8):
            path = tmp_path / f"{layout}_{np.dtype(kind).name}.npz"
            matrix = sparse.csr_array(dense.astype(kind)).asformat(layout)
            sparse.save_npz(path, matrix, compressed=kind is np.int8)
            np.testing.assert_array_equal(rows_in(path, 4), dense, err_msg=path.name)


# --- what is refused, because there is no one right way to read it ----------------------------


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("ragged.csv", "a,b\n1,2\n3,4,5\n6,7\n", "line 3"),
        ("short.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n", "line 3"),
        ("decimals_in_one_column.csv", "x\n1,5\n2,5\n", "line"),
        ("units.csv", "height,weight\ncm,kg\n180,80\n170,60.5\n", "'cm'"),
        ("word.csv", "v,w\n1,2\n2,3\nabc,4\n", "'abc'"),
        ("percent.csv", "v,w\n1,10%\n2,20%\n", "'10%'"),
        ("money.csv", "v,w\n1,$10\n2,$20\n", "'$10'"),
        ("underscores.csv", "v,w\n1,1_000\n2,2_000\n", "'1_000'"),
        ("infinite.csv", "v,w\n1,inf\n2,3\n", "infinite"),
        ("gap.csv", "v,w\n1,\n2,3\n", "missing"),
        ("latin1.csv", "größe,w\n1,5\n2,3\n".encode("latin-1"), "UTF-8"),
        ("nested.jsonl", '{"a": 1, "b": {"c": 2}}\n{"a": 3, "b": {"c": 4}}\n', "'b'"),
        ("of_objects.json", '{"a": {"0": 1, "1": 2}}', "object"),
        ("text.jsonl", '{"a": "1", "b": 2}\n{"a": "3", "b": 4}\n', "'a'"),
        ("twice.jsonl", '{"a": 1, "a": 2}\n{"a": 3, "a": 4}\n', "'a'"),
        ("lengths.jsonl", "[1, 2]\n[3]\n[4, 5]\n", "length"),
        ("vector.npy", lambda path: np.save(path, np.arange(3.0)), "shape"),
        ("complex.npy", lambda path: np.save(path, np.eye(3) * 1j), "complex"),
        ("two.npz", lambda path: np.savez(path, a=np.eye(3), b=np.ones((3, 2))), "'b'"),
    ],
)
def test_refused(tmp_path, name, content, word):
    assert word in refusal(written(tmp_path, name, content))


@pytest.mark.parametrize(
    ("name", "content", "right"),
    [
        ("title.csv", "Report 2024\n\na,b\n1,2\n3,4\n5.5,9\n", AB),
        ("comment.csv", "# made by R\na,b\n1,2\n3,4\n5.5,9\n", AB),
        ("same_names.csv", "a,a\n1,2\n3,4\n5.5,9\n", AB),
        ("thousands.csv", 'a,b\n"1,234",2\n"5,678,901",3\n', {"a": [1234, 5678901], "b": [2, 3]}),
        ("points.csv", "a;b\n1.234;2\n5.678.901;3\n", {"a": [1234, 5678901], "b": [2, 3]}),
        ("blanks.csv", "a;b\n1 234,5;2\n12 000,25;3\n", {"a": [1234.5, 12000.25], "b": [2, 3]}),
    ],
)
def test_refused_or_right(tmp_path, name, content, right):
    path = written(tmp_path, name, content)
    whole = np.column_stack(list(right.values()))
    if run("cluster", path, "-k", len(whole), "--alpha", 2).status:
        refusal(path)
    else:
        np.testing.assert_allclose(rows_in(path, len(whole)), whole)


def test_a_name_that_another_delimiter_splits(tmp_path):
    path = written(tmp_path, "comma.csv", "group;score, mean\n1;10,65\n2;11,25\n")
    np.testing.assert_allclose(rows_in(path, 2), [[1, 10.65], [2, 11.25]])


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FRAME_FILES)
def test_text_stays_as_it_is_written(tmp_path, name):
    path = written(tmp_path, name, FRAME_FILES[name])
    assert texts_in(path, "id", "n") == ["007", "008", "0019", "020", "NA", "5e3"]
    assert texts_in(path, "size", "n") == ["S", "M", "S", "", "M", "S"]


def test_days_of_a_workbook_have_no_time(tmp_path):
    path = written(tmp_path, "frame.xlsx", FRAME_FILES["frame.xlsx"])
    assert texts_in(path, "day", "n")[:3] == ["2023-12-31", "2024-02-01", ""]


def test_numbers_as_names_of_rows_keep_their_digits(tmp_path):
    frame = pd.DataFrame({"id": [1234567.25, 2.0, 0.1], "v": [1, 2, 4]})
    path = written(tmp_path, "numbers.parquet", frame.to_parquet)
    assert texts_in(path, "id", "v") == ["1234567.25", "2", "0.1"]


def test_quoted_text(tmp_path):
    path = written(tmp_path, "q.csv", '"name, full","v"\n"A, B",1\n"C\nD",2\n"say ""x""",4\n')
    assert texts_in(path, "name, full", "v") == ["A, B", "C\nD", 'say "x"']
    path = written(
        tmp_path, "l.csv", "Stra\xdfe;v\nM\xfcnchen;1,5\nK\xf6ln;2,5\n".encode("latin-1")
    )
    assert texts_in(path, "Straße", "v", "--encoding", "latin-1") == ["München", "Köln"]


_LARGE = ["9007199254740993", "9007199254740992", "1234567890123456789"]


@pytest.mark.parametrize("name", ["ids.csv", "ids.jsonl", "ids.parquet"])
def test_large_whole_numbers_as_names_of_rows(tmp_path, name):
    frame = pd.DataFrame({"id": [int(number) for number in _LARGE], "v": [1.5, 2, 4]})
    write = {
        "ids.csv": lambda path: frame.to_csv(path, index=False),
        "ids.jsonl": lambda path: frame.to_json(path, orient="records", lines=True),
        "ids.parquet": frame.to_parquet,
    }[name]
    assert texts_in(written(tmp_path, name, write), "id", "v") == _LARGE


def test_words_letter_by_letter(tmp_path):
    """Anna and hanna differ by one letter, otto and otti by one, and the rest by three or more."""
    path = written(tmp_path, "words.jsonl", '"anna"\n"hanna"\n"otto"\n"otti"\n')
    ended = run("cluster", path, "-k", 2, "--metric", "levenshtein", "-o", tmp_path / "l.csv")
    assert ended.status == 0, ended.err
    labels = pd.read_csv(tmp_path / "l.csv")["cluster"].tolist()
    assert labels[0] == labels[1] != labels[2] == labels[3]


# --- kinds ------------------------------------------------------------------------------------

_KINDS = ["x", "n", "yes", "day", "size"]


def _of_frame(frame, k, columns):
    model = KernelKGroups(k, metric="mixed", random_state=0).fit(frame[columns])
    return model.labels_.tolist(), model.within_dispersion_


@pytest.mark.parametrize("name", FRAME_FILES)
def test_kinds_and_gaps_are_those_of_the_frame(tmp_path, name):
    path = written(tmp_path, name, FRAME_FILES[name])
    for columns in (_KINDS, ["x", "n"], ["yes", "n"], ["day", "n"], ["size", "n"]):
        labels, spread = mixed_clusters(path, 3, columns)
        expected, right = _of_frame(FRAME, 3, columns)
        assert spread == pytest.approx(right, rel=1e-12), (name, columns)
        assert labels == expected, (name, columns)


@pytest.mark.parametrize("pattern", ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y"])
def test_dates(tmp_path, pattern):
    frame = PLAIN[["n"]].assign(day=FRAME["day"].dt.strftime(pattern))
    path = tmp_path / "dates.csv"
    frame.to_csv(path, index=False)
    labels, spread = mixed_clusters(path, 3, ["day", "n"])
    expected, right = _of_frame(FRAME, 3, ["day", "n"])
    assert spread == pytest.approx(right, rel=1e-12)
    assert labels == expected
