"""Graphs of nearest neighbors of the rows of a table, and clusters by a walk on them."""
