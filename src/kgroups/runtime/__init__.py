"""How work is run: threads, progress, memory, BLAS, the compiler and safe units."""
