"""Experiments are drawn again with KGROUPS_FULL=1 alone: CI computes some of their kept results."""

import os

DRAWN = (
    "block_model_experiments", "collaborations", "dermatology", "dimension", "grid", "networks",
    "one_dimension", "sample_size", "shapes", "synapses", "uci", "unbalanced",
)  # fmt: skip
collect_ignore = [] if os.environ.get("KGROUPS_FULL") else [f"test_{name}.py" for name in DRAWN]
