"""Compiled loops of the criteria and contributions."""
