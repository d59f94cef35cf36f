"""Values of options: what text becomes, and what is said of text that means nothing."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from kgroups.cli import option_values as values
from kgroups.names import MATRICES, SEMIMETRICS


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (values.metric, "energy", "energy"),
        (values.metric, "precomputed", "precomputed"),
        (values.positive, "7", 7),
        (values.number_or_auto, "auto", "auto"),
        (values.lines, "5, 1-3,2", (1, 2, 3, 5)),
        (values.number_or_auto, "3", 3),
        (values.regularizer, "average_degree", "average_degree"),
        (values.regularizer, "2.5", 2.5),
        (values.size, "500 MB", "500 MB"),
        (values.n_init, "auto", "auto"),
        (values.n_init, "4", 4),
        (values.seed, "0", 0),
        (values.seed, "4294967295", 4294967295),
        (values.n_jobs, "-1", -1),
        (values.n_jobs, "8", 8),
        (values.alpha, "2", 2.0),
        (values.alpha, "1e-3", 1e-3),
        (values.sigma, "median", "median"),
        (values.sigma, "0.5", 0.5),
        (values.names, "a, b,c", ["a", "b", "c"]),
        (values.names, '"a, b",c', ["a, b", "c"]),
        (values.kinds, "zip=category", {"zip": "category"}),
        (values.kinds, "a = number , b=date", {"a": "number", "b": "date"}),
        (values.kinds, "a=b=boolean", {"a=b": "boolean"}),
        (values.kinds, '"a, b=ordered",size=S<M<L', {"a, b": "ordered", "size": "S<M<L"}),
        (values.picture, "out.PNG", Path("out.PNG")),
        (values.picture, "a/b.svg", Path("a/b.svg")),
    ],
)
def test_text_becomes_a_value(read, text, value):
    assert read(text) == value
    assert type(read(text)) is type(value)


@pytest.mark.parametrize("name", [*SEMIMETRICS, *MATRICES])
def test_every_metric_of_the_library_is_known(name):
    assert values.metric(name) == name


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (values.metric, "enegry", r"'enegry' is not known\. Did you mean 'energy'\? Names:"),
        (values.metric, "xyz", r"'xyz' is not known\. Names: energy"),
        (values.positive, "0", r"must be an integer >= 1; got '0'"),
        (values.positive, "1.5", r"must be an integer >= 1; got '1\.5'"),
        (values.number_or_auto, "best", r"must be an integer >= 1, or auto; got 'best'"),
        (values.number_or_auto, "0", r"must be an integer >= 1, or auto; got '0'"),
        (values.regularizer, "0", r"must be a positive number or average_degree; got '0'"),
        (values.regularizer, "inf", r"must be a positive number"),
        (values.regularizer, "x", r"must be a positive number"),
        (values.size, "lots", r'a size such as "500 MB"'),
        (values.seed, "-1", r"must be an integer >= 0 and <= 4294967295; got '-1'"),
        (values.seed, "4294967296", r"<= 4294967295; got '4294967296'"),
        (values.n_jobs, "0", r"must be a number of threads, or -1 for all cores; got '0'"),
        (values.n_jobs, "all", r"got 'all'"),
        (values.alpha, "0", r"must be a number in \(0, 2\], such as 1; got '0'"),
        (values.alpha, "2.01", r"\(0, 2\]"),
        (values.alpha, "nan", r"\(0, 2\]"),
        (values.sigma, "mean", r"must be a positive number or median; got 'mean'"),
        (values.sigma, "-1", r"positive number or median"),
        (values.names, "", r"must be names separated by commas; got ''"),
        (values.names, "a,,b", r"must be names separated by commas"),
        (values.kinds, "a=text", r"such as zip=category,size=S<M<L.*got 'a=text'"),
        (values.kinds, "a=categories", r"got 'a=categories'\. Did you mean 'category'\?"),
        (values.kinds, "category", r"got 'category'"),
        (values.kinds, "=date", r"got '=date'"),
        (values.kinds, "a=S<<L", r"got 'a=S<<L'"),
        (values.kinds, "a=date,a=number", r"names 'a' twice"),
        (values.kinds, "", r"must be names separated by commas"),
        *((values.lines, t, "such as 2 or 1-3,5") for t in ("0", "3-1", "1-99999", "2,,3", "x")),
        (values.picture, "out.jpg", r"must end in \.png, \.svg, \.pdf; got 'out\.jpg'"),
        (values.picture, "png", r"must end in"),
    ],
)
def test_text_that_means_nothing(read, text, message):
    with pytest.raises(ArgumentTypeError, match=message):
        read(text)
