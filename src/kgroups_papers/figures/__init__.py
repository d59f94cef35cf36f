"""Pictures of outcomes, in the style of :mod:`kgroups.plots`, for any experiment."""
