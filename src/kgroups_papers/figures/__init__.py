"""Pictures of outcomes, in the style of :mod:`kgroups.plots`; they do not depend on any experiment."""
