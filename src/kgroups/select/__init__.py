"""How many clusters there are."""

from kgroups.select.communities import bethe_hessian_n_communities

__all__ = ["bethe_hessian_n_communities"]
