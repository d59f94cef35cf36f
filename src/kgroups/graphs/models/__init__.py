"""Random networks whose communities are known, one model per file."""
