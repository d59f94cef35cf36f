"""Compiled readers of tables in text."""
