"""A sketch of the kernel: features that stand for it where all pairs would cost too much."""
