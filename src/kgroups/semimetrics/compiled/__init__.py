"""Compiled distances: the innermost loop."""
