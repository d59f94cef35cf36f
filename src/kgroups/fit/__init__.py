"""One fit: how it is planned, started, carried out and kept."""
