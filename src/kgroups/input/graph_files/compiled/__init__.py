"""Compiled readers of graph files."""
