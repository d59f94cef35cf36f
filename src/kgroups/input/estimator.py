"""What all estimators share: parameters of their parameters."""

from typing import Any, Self

from sklearn.base import BaseEstimator

from kgroups.names import MATRICES
from kgroups.semimetrics.by_name import by_name
from kgroups.text import short


class Estimator(BaseEstimator):
    """An estimator of scikit-learn that says what to write where a name has no parameters."""

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; ``metric__alpha`` is the parameter ``alpha`` of ``metric``.

        Raises
        ------
        ValueError
            If there is no such parameter, or ``metric`` is a name and has no parameters.
        """
        own = {**self.get_params(deep=False), **params}
        for name in params:
            outer, nested, _ = name.partition("__")
            if nested and outer in own:
                _check_has_parameters(outer, own[outer], name)
        super().set_params(**params)
        return self


def _check_has_parameters(name: str, value: Any, wanted: str) -> None:
    """ValueError for a value that has no parameters, with the object to write for a name."""
    if hasattr(value, "set_params") and not isinstance(value, type):
        return
    found = f"{wanted!r} cannot be set, because {name}={short(repr(value))} has no parameters"
    if isinstance(value, type):
        raise ValueError(f"{found}: it is a class; write {name}={value.__name__}().")
    if name != "metric" or not isinstance(value, str) or value in MATRICES:
        raise ValueError(f"{found}.")
    made = by_name(value)
    raise ValueError(
        f"{found}; write metric={made!r}, and import {type(made).__name__} from "
        "kgroups.semimetrics."
    )
