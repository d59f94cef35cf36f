"""``kgroups cluster --metric mixed`` and ``choose-k``: columns of several kinds, with gaps."""

import json
from pathlib import Path

import numpy as np
import pytest
from json_cases import faults, schema

from helpers import write_csv
from kgroups import KernelKGroups
from kgroups.semimetrics import Mixed

COMMAND = "cluster"
N = 36
KINDS = np.repeat([0, 1, 2], N // 3)


@pytest.fixture
def people(folder):
    """A table of three groups, with a column of each kind and some gaps."""
    rng = np.random.default_rng(0)
    rows = [
        [
            f"p{i}",
            "" if i % 9 == 0 else f"{6 * g + rng.normal():.2f}",
            "" if i == 4 else ["red", "green", "blue"][g],
            ["yes", "no"][i % 2],
            f"20{10 + 5 * g}-0{1 + i % 9}-15",
            "SML"[g],
            "abc"[g],
            1 + i % 3,
        ]
        for i, g in enumerate(KINDS.tolist())
    ]
    head = ["name", "x", "color", "member", "joined", "size", "kind", "w"]
    return write_csv(folder / "people.csv", [head, *rows])


USES = ["--id-column", "name", "--label-column", "kind", "--weight-column", "w"]


def as_json(run, *arguments):
    status, out, err = run(*arguments, "--json", "--n-init", 2)
    assert status == 0, err
    return json.loads(out)


def test_the_clusters_are_those_of_the_library(people, run):
    found = as_json(run, people, "-k", 3, "--metric", "mixed", *USES)
    rule = schema("cluster")
    assert faults(found, rule, rule) == []
    assert found["columns"] == {
        "numeric": ["x", "joined"], "categorical": ["color", "member", "size"], "text": None,
        "label": "kind", "weight": "w", "id": "name", "dropped": [],
        "kinds": {"x": "number", "color": "category", "member": "boolean", "joined": "date",
                  "size": "category"},
        "n_missing": {"x": 4, "color": 1},
    }  # fmt: skip
    assert found["metric"]["name"] == "mixed"
    assert found["scores"]["ari"] == 1.0
    assert found["ids"][1] == "p1"
    table, lines = [], Path(people).read_text().splitlines()[1:]
    for line in lines:
        _, x, color, member, joined, size, *_ = line.split(",")
        day = np.datetime64(joined).astype(int)
        codes = [{"": np.nan, "red": 0, "green": 1, "blue": 2}[color], member == "yes"]
        table.append([float(x or "nan"), day, *codes, "SML".index(size)])
    kinds = ["number", "number", "category", "category", "category"]
    weights = [1 + i % 3 for i in range(N)]
    model = KernelKGroups(3, metric=Mixed(kinds=kinds), n_init=2, random_state=0)
    model.fit(np.array(table, float), sample_weight=weights)
    assert found["labels"] == model.labels_.tolist()
    assert found["within_dispersion"] == pytest.approx(model.within_dispersion_, rel=1e-12)


def test_kinds_overrule_the_content(people, run):
    asked = ["--kinds", "size=S<M<L,w=ordered,x=category", "--drop", "name,kind"]
    found = as_json(run, people, "-k", 3, "--metric", "mixed", *asked)
    kinds = found["columns"]["kinds"]
    assert (kinds["size"], kinds["w"], kinds["x"]) == ("ordered", "ordered", "category")
    assert found["columns"]["dropped"] == ["name", "kind"]
    found = as_json(
        run, people, "-k", 3, "--metric", "mixed", "--columns", "x", "--categorical", "w"
    )
    assert found["columns"]["kinds"] == {"x": "number", "w": "category"}


def test_what_is_compared_as_it_is_written_and_what_by_its_value(folder, run):
    rows = [["007", i % 2, "1.0", i] for i in range(4)] + [["7", "", "1", i] for i in range(4)]
    write_csv(folder / "x.csv", [["code", "flag", "level", "x"], *rows])
    asked = "code=category,flag=boolean,level=ordered"
    found = as_json(run, "x.csv", "-k", 2, "--metric", "mixed", "--kinds", asked)
    assert found["labels"][:4] == [found["labels"][0]] * 4
    assert found["columns"]["n_missing"] == {"flag": 4}
    values = {one.get("value") for own in found["sets_apart"] for one in own}
    assert {"007", "7"} <= values


def test_missing_categories_can_be_one_of_their_own(people, run):
    found = as_json(run, people, "-k", 3, "--metric", "mixed", *USES, "--impute", "category")
    assert found["metric"]["params"]["missing"] == "category"
