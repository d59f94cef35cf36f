"""The compiled loops of solvers, Gram matrices and semimetrics, built at installation.

``kernels.NAME(...)`` calls a function that ``src/native`` exports. Arrays are passed without a copy
and must be C-contiguous; a wrong type, number of axes or length raises an error, an index out of
bounds too. Other threads of Python run meanwhile.

The library has each kernel for several sets of instructions, of which the best that the processor
supports is taken; the variable KGROUPS_INSTRUCTIONS names another, KGROUPS_LIBRARY another file.
"""

from kgroups.native.library import instructions, kernels

__all__ = ["LANES", "instructions", "kernels"]

#: Points that one panel holds, coordinate by coordinate.
LANES = 32
