"""Models in files: kept without pickle, and read by other processes and later versions."""

from kgroups.persistence.load import load
from kgroups.persistence.save import save

__all__ = ["load", "save"]
