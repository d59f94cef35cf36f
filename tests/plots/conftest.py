"""What all tests of pictures share."""

import sys

import pandas as pd
import pytest
from sklearn.datasets import load_iris

from helpers import cliques
from kgroups import KernelKGroups
from kgroups.graphs import GraphKGroups, stochastic_block_model


@pytest.fixture(autouse=True)
def _close_figures():
    """No test leaves figures of pyplot to the next."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture(scope="module")
def iris():
    return KernelKGroups(3, n_init=12, random_state=0).fit(load_iris().data)


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(
        load_iris().data, columns=["sepal length", "sepal width", "length", "width"]
    )


@pytest.fixture(scope="module")
def ring():
    return cliques(3, 6)


@pytest.fixture(scope="module")
def model(ring):
    return GraphKGroups(3, random_state=0).fit(ring[0])


@pytest.fixture(scope="module")
def blocks():
    return stochastic_block_model(400, 4, 8.0, 2.0, random_state=1)
