"""Parameters of parameters: ``metric__alpha``."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from kgroups import GraphKGroups, KernelKGroups, KernelKMeans, KGroups1D
from kgroups.estimators import EnergyAgglomerative
from kgroups.semimetrics import Energy

X = np.random.default_rng(0).normal(size=(12, 2))


@pytest.mark.nojit
@pytest.mark.parametrize("kind", [KernelKGroups, KernelKMeans, EnergyAgglomerative])
@pytest.mark.parametrize(
    ("metric", "write"),
    [
        ("energy", r"write metric=Energy\(alpha=1.0\), and import Energy from kgroups.sem"),
        ("sqeuclidean", r"write metric=Energy\(alpha=2.0\), and"),
        ("gaussian", r"write metric=Gaussian\(sigma=1.0\), and"),
        (Energy, r"it is a class; write metric=Energy\(\)\."),
        ("precomputed", r"metric='precomputed' has no parameters\."),
        (np.subtract, r"metric=<ufunc 'subtract'> has no parameters\."),
    ],
)
def test_a_name_has_no_parameters(kind, metric, write):
    with pytest.raises(ValueError, match=rf"'metric__alpha' cannot be set, because .*{write}"):
        kind(2, metric=metric).set_params(metric__alpha=0.5)


@pytest.mark.nojit
@pytest.mark.parametrize("model", [KGroups1D(2), GraphKGroups(2), KernelKGroups(2)])
def test_other_parameters_have_none(model):
    name = "objective" if isinstance(model, GraphKGroups) else "n_clusters"
    with pytest.raises(ValueError, match=rf"'{name}__x' cannot be set, because {name}="):
        model.set_params(**{f"{name}__x": 1})
    with pytest.raises(ValueError, match="Invalid parameter 'metrik'"):
        model.set_params(metrik__x=1)


@pytest.mark.nojit
def test_objects_have_parameters():
    model = KernelKGroups(2, metric="energy").set_params(metric=Energy(), metric__alpha=0.5)
    assert model.metric == Energy(0.5)
    assert model.set_params(n_clusters=3).n_clusters == 3
    search = GridSearchCV(model, {"metric__alpha": [0.5, 1.5]}, cv=2)
    assert clone(search).set_params(estimator__metric__alpha=1.5).estimator.metric == Energy(1.5)
    search.set_params(estimator__metric="energy")
    with pytest.raises(ValueError, match=r"write metric=Energy\(alpha=1.0\)"):
        search.fit(X)
