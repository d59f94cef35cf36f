"""The scenes of ``kgroups demo``: one file each, with its data, its rivals and its panel."""
