"""Energy statistics for samples and labeled points: distances, dispersions and tests."""

from kgroups.stats.dip_test import DipTestResult, dip_test
from kgroups.stats.disco import disco
from kgroups.stats.energy_distance import energy_distance, mmd
from kgroups.stats.energy_test import energy_test
from kgroups.stats.results import DiscoResult, EnergyTestResult
from kgroups.stats.within_dispersion import between_statistic, within_dispersion

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
