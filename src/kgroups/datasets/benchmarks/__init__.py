"""The data sets of the papers: where they lie, what they are, and how to get them."""

from kgroups.datasets.benchmarks.catalogue import names
from kgroups.datasets.benchmarks.content import BenchmarkGraph, BenchmarkTable
from kgroups.datasets.benchmarks.download import download
from kgroups.datasets.benchmarks.folders import DataFolders, cache_folder

__all__ = ["BenchmarkGraph", "BenchmarkTable", "DataFolders", "cache_folder", "download", "names"]
