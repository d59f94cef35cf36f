"""Axes and rows for the tests of pictures."""

import numpy as np
from matplotlib.figure import Figure


def axes(width=6.4, height=4.8):
    return Figure(figsize=(width, height), layout="constrained").subplots()


def title(display):
    return display.ax_.get_title(loc="left")


def blobs(n, k, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return 10.0 * rng.normal(size=(k, d))[np.arange(n) % k] + rng.normal(size=(n, d))
