"""About 200 fits of every kind whose answers may not change unnoticed.

``python -m benchmarks.frozen`` runs them and compares partitions, up to the names of the clusters,
and numbers, to 1e-10, with ``benchmarks/frozen.json``. A fit is a line of text that says what is
fitted to what: ``KernelKGroups blobs k=5 weights=uneven``. The lines are in ``*_fits.py``.
"""
