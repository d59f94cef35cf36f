"""The chance of a run, from which all of its numbers come."""

import zlib

import numpy as np


def generator(seed: int, experiment: str, case: str, run: int) -> np.random.Generator:
    """The same for one run whatever ran before it, and wherever it runs."""
    return np.random.default_rng([seed, zlib.crc32(f"{experiment}/{case}".encode()), run])


def seed(rng: np.random.Generator) -> int:
    """A seed for programs that take no generator."""
    return int(rng.integers(2**31 - 1))
