"""A sketch of the kernel: features that stand for it where all pairs would take too long."""

from kgroups.sketch.dispersion import Dispersion, estimated_dispersion
from kgroups.sketch.sketcher import Sketch, Sketcher

__all__ = ["Dispersion", "Sketch", "Sketcher", "estimated_dispersion"]
