"""Compiled sums of features."""

from kgroups.runtime.jit import jit_in_place
from kgroups.typing import Float64Array, FloatArray, IntArray


@jit_in_place
def add_by_cluster(
    features: FloatArray, labels: IntArray, weights: Float64Array, vectors: Float64Array
) -> None:
    """vectors[l] += Σ_{y ∈ C_l} w_y f_y."""
    for i in range(features.shape[0]):
        w = weights[i]
        if w != 0.0:
            vector = vectors[labels[i]]
            for d in range(vector.shape[0]):
                vector[d] += w * features[i, d]
