"""How work is run: threads, progress, memory, seeds, BLAS, the compiler and safe units."""

from kgroups.runtime.threads import at_most

__all__ = ["at_most"]
