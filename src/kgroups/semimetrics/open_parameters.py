"""Semimetrics with a name and the parameters that another library has for it."""

from __future__ import annotations

import abc
from typing import Any, Self


class NamedElsewhere(abc.ABC):
    """A distance by its name in another library, and parameters of that library by their names.

    All are attributes, so that :meth:`get_params` has them, and a grid search can change them.
    """

    name: str

    @abc.abstractmethod
    def check(self) -> None:
        """Raise ValueError if a parameter is out of range."""

    @abc.abstractmethod
    def takes(self) -> tuple[str, ...]:
        """The names of the parameters that this distance has."""

    def given(self) -> dict[str, Any]:
        """The parameters that are not None; those that are stand for the default elsewhere."""
        return {k: v for k, v in vars(self).items() if k != "name" and v is not None}

    def check_given(self) -> None:
        """Raise ValueError for a parameter that this distance does not have."""
        for parameter in self.given():
            if parameter not in self.takes():
                raise ValueError(
                    f"{type(self).__name__}({self.name!r}) has no parameter {parameter!r}; it has "
                    f"{', '.join(self.takes()) or 'none'}."
                )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, as in scikit-learn's estimators."""
        return dict(vars(self))

    def set_params(self, **params: object) -> Self:
        """Change parameters by name and return this object; after an error nothing has changed."""
        before = self.get_params()
        vars(self).update(params)
        try:
            self.check()
        except ValueError:
            vars(self).clear()
            vars(self).update(before)
            raise
        return self

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.given().items()]
        return f"{type(self).__name__}({', '.join([repr(self.name), *given])})"
