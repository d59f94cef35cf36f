"""The data sets of the papers: where they lie, what they are, and how to get them."""

from kgroups_papers.data.content import BenchmarkGraph, BenchmarkTable
from kgroups_papers.data.download import download
from kgroups_papers.data.entries import names
from kgroups_papers.data.folders import DataFolders, cache_folder

__all__ = ["BenchmarkGraph", "BenchmarkTable", "DataFolders", "cache_folder", "download", "names"]
