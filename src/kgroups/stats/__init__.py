"""Energy statistics of samples and of labelled points: distances, dispersions and tests."""

from kgroups.stats.decomposition import disco
from kgroups.stats.dip import DipTestResult, dip_test
from kgroups.stats.dispersion import between_statistic, within_dispersion
from kgroups.stats.distances import energy_distance, mmd
from kgroups.stats.equality import energy_test
from kgroups.stats.results import DiscoResult, EnergyTestResult

__all__ = [
    "DipTestResult",
    "DiscoResult",
    "EnergyTestResult",
    "between_statistic",
    "dip_test",
    "disco",
    "energy_distance",
    "energy_test",
    "mmd",
    "within_dispersion",
]
