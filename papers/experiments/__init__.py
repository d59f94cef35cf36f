"""One script for each figure or table, or for a few that have their runs in common."""
