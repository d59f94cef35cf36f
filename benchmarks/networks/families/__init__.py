"""Families of graphs with what is asked of the answers: one family, one file."""

from benchmarks.networks.families import blocks, corrected, lfr, modularity, named, one, scale
from benchmarks.networks.families.family import Family

FAMILIES: dict[str, Family] = {
    part.FAMILY.name: part.FAMILY
    for part in (named, modularity, lfr, blocks, corrected, one, scale)
}
