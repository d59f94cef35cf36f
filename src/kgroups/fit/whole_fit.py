"""A fit that fails leaves the estimator as it was before."""

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.base import BaseEstimator


@contextmanager
def whole_fit(estimator: BaseEstimator) -> Iterator[None]:
    """All attributes that a fit sets, or none: whatever is raised in this block, Ctrl-C among it.

    An estimator that was fitted before answers as it did then, one that was not stays unfitted.

    >>> from sklearn.base import BaseEstimator
    >>> model = BaseEstimator()
    >>> model.labels_ = [0, 1]
    >>> try:
    ...     with whole_fit(model):
    ...         model.labels_ = [0]
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     print(model.labels_)
    [0, 1]
    """
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        # One step, which no second Ctrl-C can cut in two, whatever a subclass does on assignment.
        object.__setattr__(estimator, "__dict__", before)
        raise
