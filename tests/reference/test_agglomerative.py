"""Trees that R's energy package and SciPy build."""

import json

import numpy as np
import pytest

from helpers import each, reference_folder
from kgroups import EnergyAgglomerative
from kgroups.metrics import same_partition

pytestmark = pytest.mark.reference


@each("alpha", ["0.5", "1", "1.5"])
def test_iris_as_r_energy_hclust(alpha):
    """R energy 1.7-11; iris has ties and two equal rows, and the cuts agree nonetheless."""
    reference = json.loads(reference_folder("reference", "r_energy.json").read_text())
    X, tree = np.array(reference["iris"]["X"]), reference[f"alpha_{alpha}"]["hclust_alpha"]
    model = EnergyAgglomerative(3, alpha=float(alpha)).fit(X)
    np.testing.assert_allclose(model.distances_, tree["height"], rtol=1e-9)
    assert same_partition(model.labels_, tree["cut3"])
    assert same_partition(model.labels_at(6), tree["cut6"])


@each("alpha", ["0.5", "1", "1.5"])
def test_all_heights_add_up_to_the_total_dispersion_of_disco(alpha):
    """Each merge raises W by half its height, from 0 to R's total."""
    reference = json.loads(reference_folder("reference", "r_energy.json").read_text())
    X, disco = np.array(reference["iris"]["X"]), reference[f"alpha_{alpha}"]["disco"]
    model = EnergyAgglomerative(3, alpha=float(alpha)).fit(X)
    assert model.distances_.sum() / 2 == pytest.approx(disco["total"], rel=1e-9)
    total = model.within_dispersion_ + model.between_statistic_
    assert total == pytest.approx(disco["total"], rel=1e-9)
