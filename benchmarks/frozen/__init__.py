"""About 350 fits of every kind whose answers may not change unnoticed.

``python -m benchmarks.frozen`` runs them and compares partitions, up to the names of the clusters,
numbers, to 1e-10, and the way that each fit takes, with ``benchmarks/frozen.json``; ``--fast``
leaves out the fits of many rows, which take most of the time. A fit is a key of that file, a line
of text that says what is fitted to what: ``KernelKGroups blobs k=5 weights=uneven``. To add one,
write its line with ``{}``, which ``--update`` fills.
"""
