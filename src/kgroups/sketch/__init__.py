"""A sketch of the kernel: features that approximate it where all pairs would take too long."""
