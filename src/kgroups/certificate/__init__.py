"""One-move optimality proved from a small share of the pairs."""
