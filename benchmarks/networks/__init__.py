"""Parts of ``python -m benchmarks.communities``: data, methods, and one file a question."""
