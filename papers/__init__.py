"""The experiments of the papers, run again next to their published numbers."""
