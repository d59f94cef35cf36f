"""All experiments, in the order of the papers."""

from difflib import get_close_matches
from functools import lru_cache

from kgroups_papers.experiment import Experiment
from kgroups_papers.experiments import (
    block_models,
    collaborations,
    dermatology,
    dimension,
    grid,
    networks,
    one_dimension,
    sample_size,
    shapes,
    synapses,
    uci,
    unbalanced,
)


@lru_cache
def catalog() -> dict[str, Experiment]:
    """Every experiment by its name.

    Each module has the experiments of one subject; the order is that of the papers, the published
    one first.
    """
    found = [
        *one_dimension.PUBLISHED,
        *dimension.PUBLISHED,
        *sample_size.PUBLISHED,
        *grid.PUBLISHED,
        *unbalanced.PUBLISHED,
        *block_models.PUBLISHED,
        *dermatology.PUBLISHED,
        *uci.PUBLISHED,
        *networks.PUBLISHED,
        *collaborations.PUBLISHED,
        *shapes.PUBLISHED,
        *synapses.PUBLISHED,
        *one_dimension.DRAFT,
        *dimension.DRAFT,
        *unbalanced.DRAFT,
        *shapes.DRAFT,
    ]
    return {experiment.name: experiment for experiment in found}


def find(name: str) -> Experiment:
    """The experiment of that name, or of a figure that it draws; ValueError suggests the nearest.

    >>> find("fig6").name
    'table2'
    """
    by_name = {
        known: experiment
        for experiment in catalog().values()
        for known in (experiment.name, *experiment.other_names)
    }
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name.lower(), by_name, 1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"There is no experiment {name!r}.{hint} `kgroups reproduce --list` shows all of them."
    )
