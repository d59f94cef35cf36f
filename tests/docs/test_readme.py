"""Every claim of README.md that a number can test, except those that its code and commands make."""

import inspect
import re

import numpy as np
import pytest

from benchmarks import communities
from kgroups import KernelKGroups, KernelKMeans, semimetrics
from kgroups.fit.plan import Wish, make_plan
from kgroups.metrics import same_partition
from kgroups.names import COMPRESSIONS, GRAPH_FORMATS, OBJECTIVES, TABLE_SUFFIXES
from kgroups.semimetrics import Energy, Semimetric
from kgroups_papers.catalog import catalog
from pages import blocks, page, said, size
from select_cases import lumps

README = page("README")


def test_only_the_number_of_clusters_must_be_chosen():
    first, *others = inspect.signature(KernelKGroups).parameters.values()
    assert first.name == "n_clusters"
    assert all(parameter.default is not inspect.Parameter.empty for parameter in others)


def test_hartigan_finds_better_optima_with_many_clusters_in_many_dimensions():
    """From the same random start, where Lloyd's rule seldom moves anything."""
    rng = np.random.default_rng(0)
    lower = []
    for dimension, k in ((2, 2), (50, 12)):
        ratios = []
        for _ in range(8):
            X = rng.normal(size=(120, dimension))
            start = np.arange(120) % k
            lloyd, hartigan = (
                Method(k, metric=Energy(2), init=start).fit(X).within_dispersion_
                for Method in (KernelKMeans, KernelKGroups)
            )
            ratios.append(hartigan / lloyd)
        lower.append(np.mean(ratios))
    assert lower[1] < 0.98
    assert lower[1] < lower[0]


def test_labels_predictions_and_dispersion_mean_what_the_snippet_says():
    X = np.concatenate([lumps(2, n=20), lumps(1, n=5) + 40])
    model = KernelKGroups(3, random_state=0).fit(X)
    assert np.bincount(model.labels_).tolist() == sorted(np.bincount(model.labels_))[::-1]
    np.testing.assert_array_equal(model.predict(X), model.transform(X).argmin(axis=1))
    assert model.exactness_ == "one-move optimal"
    assert '# "one-move optimal"' in README


@pytest.mark.parametrize(("alpha", "is_found"), [(2, False), (1, False), (0.5, True)])
def test_one_half_is_less_sensitive_to_outliers(alpha, is_found):
    """Two clusters and one row far away, which is a cluster of its own where distances count."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 6)] + [[[300.0, 300.0]]])
    model = KernelKGroups(2, metric=Energy(alpha), random_state=0).fit(X)
    assert (np.bincount(model.labels_).min() > 1) == is_found


def test_a_metric_has_parameters_for_a_grid_search():
    assert "metric__alpha" in KernelKGroups(metric=Energy()).get_params()


def test_labels_do_not_depend_on_threads():
    X = np.random.default_rng(0).normal(size=(300, 3))
    fits = [KernelKGroups(4, random_state=3, n_jobs=jobs).fit(X).labels_ for jobs in (1, 2)]
    np.testing.assert_array_equal(*fits)
    assert same_partition(*fits)


def test_formats_objectives_and_experiments_exist():
    (line,) = (line for line in README.splitlines() if "# also GML" in line)
    assert {name.lower() for name in line.split("also ")[1].split(", ")} <= set(GRAPH_FORMATS)
    tables = README[README.index("It reads `.csv`") : README.index("`-` is\nstandard input")]
    assert set(re.findall(r"`(\.\w+)`", tables)) == {*TABLE_SUFFIXES, *COMPRESSIONS}
    named = "normalized_cut", "modularity", "ratio_cut"
    assert all(name in README and name in OBJECTIVES for name in named)
    commands = "\n".join(blocks(README, "sh"))
    assert {"table2", "table4"} <= set(catalog())
    assert "reproduce table2" in commands
    assert "reproduce table4" in commands


def test_the_matrix_is_not_stored_beyond_two_thousand_points():
    (limit,) = said(README, r"Beyond ([\d,]+) points the n × n matrix of distances is not stored")
    assert make_plan(Wish(), size(int(limit)), None).method == "dense"
    assert make_plan(Wish(), size(int(limit) + 1), None).method == "matrix_free"
    by_function = size(int(limit) + 1, is_compiled=False)
    assert make_plan(Wish(), by_function, None).method == "dense"


def test_a_share_of_the_pairs_proves_the_optimum_of_many_points():
    (least,) = said(README, r"From ([\d,]+) points on that is \[proved from a share of the pairs\]")
    assert make_plan(Wish(), size(int(least) - 1), None).method == "matrix_free"
    assert make_plan(Wish(), size(int(least)), None).method == "certified"
    assert make_plan(Wish(method="matrix_free"), size(10**7), None).method == "matrix_free"


def test_a_limit_that_nothing_fits_is_an_error_before_any_work():
    with pytest.raises(MemoryError, match="needs at least"):
        KernelKGroups(3, memory_limit="1kB").fit(lumps(2))


def test_how_many_metrics_are_built_in():
    (count,) = said(README, r"\| metrics \| (\d+) are built in")
    built_in = [
        cls
        for cls in vars(semimetrics).values()
        if isinstance(cls, type) and issubclass(cls, Semimetric) and cls is not Semimetric
    ]
    makers = {"ColumnSum", "PairFunction"}  # of other metrics, and of a function
    assert len({cls.__name__ for cls in built_in} - makers) == count


def test_a_million_nodes_are_timed_with_the_number_given():
    """The figure itself is measured by benchmarks.communities."""
    assert "If the number is given, a million nodes take" in README.replace("\n", " ")
    assert max(communities.SIZES) == 1_000_000
