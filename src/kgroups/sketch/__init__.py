"""A sketch of the kernel: features that stand for it where all pairs would take too long."""
