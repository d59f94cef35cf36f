"""Comparisons with other programs, each a command that fails where its limit is missed."""
