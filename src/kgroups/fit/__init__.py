"""One fit: how it is planned, where it starts, how it is carried out, what it answers."""
