"""Compiled loops of the operators."""
