"""What all estimators share: parameters of their parameters, and being kept in a file."""

import os
from typing import Any, Self

from sklearn.base import BaseEstimator

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
        metric = params.get("metric", getattr(self, "metric", None))
        nested = [name for name in params if name.startswith("metric__")]
        if nested and not hasattr(metric, "set_params"):
            raise ValueError(
                f"{nested[0]!r} cannot be set, because metric={short(repr(metric))} has no "
                "parameters; give an object of kgroups.semimetrics."
            )
        super().set_params(**params)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model into a file, from which :func:`kgroups.load` makes it again.

        The file holds arrays of NumPy and JSON, no code; it is written whole or not at all. The
        same model gives the same bytes. It is about as large as the rows of the fit, which
        ``predict`` compares with; a sketch keeps its landmarks alone. O(size of the file).

        A metric that is a function or a semimetric of your own is not kept, only its name:
        ``kgroups.load(path, metric=function)``. A ``random_state`` that is a generator is replaced
        by None, and functions given for ``init`` or ``verbose`` by the default, with a warning:
        they matter to another fit alone.

        Parameters
        ----------
        path : path

        Raises
        ------
        NotFittedError
            Before a fit.
        ValueError
            For rows or names that no file holds, such as objects of a class of your own.

        Examples
        --------
        >>> import tempfile
        >>> import kgroups
        >>> model = kgroups.KGroups1D(2).fit([1.0, 2.0, 10.0, 12.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/line.kg")
        ...     kgroups.load(f"{folder}/line.kg").labels_.tolist()
        [0, 0, 1, 1]
        """
        from kgroups.persistence import save

        save(self, path)
