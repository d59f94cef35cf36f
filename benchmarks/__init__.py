"""Measurements: cases of asv, which ``asv run`` in this folder runs, and programs of their own."""
