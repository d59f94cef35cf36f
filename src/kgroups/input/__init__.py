"""What a user hands in: parameters, tables, frames, matrices, networks and files."""
