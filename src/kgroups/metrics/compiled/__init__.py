"""Compiled loops of the scores."""
