"""Pictures of outcomes, in the look of :mod:`kgroups.plots`; no experiment is known here."""
