"""Models in files: kept without pickle, and read by other processes."""

from kgroups.persistence.files import FORMAT, load, save, write_model
from kgroups.persistence.values import KEPT

__all__ = ["FORMAT", "KEPT", "load", "save", "write_model"]
