"""Compiled draws of random networks."""
