"""Compiled passes over what a user hands in."""
