"""One fit: how it is planned, where it starts, how it is carried out, what it answers."""

from kgroups.fit.fit import EXACTNESS, Answer, Fit
from kgroups.fit.plan import Plan, Wish, default_n_init, plan_for
from kgroups.fit.starts import Starts

__all__ = ["EXACTNESS", "Answer", "Fit", "Plan", "Starts", "Wish", "default_n_init", "plan_for"]
