"""Planted faults that the tests must find: a list for each package that computes or reads.

``python -m tests.mutants stats`` plants each fault of ``stats.txt`` in a copy of the library, one
at a time, and runs the tests that guard it until one fails. The exit status is 1 if a fault stays
unseen that its list does not excuse, or is found although it is excused. See
:mod:`tests.mutants.fault` for the lists.
"""
