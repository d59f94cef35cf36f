"""What displays are made from, checked: a fitted estimator, or the result of a function."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

#: Classes whose clusters are of rows, as messages name them.
OF_ROWS = "KernelKGroups or KernelKMeans"
#: Classes whose clusters are of nodes.
OF_NODES = "GraphKGroups or BetheHessianClustering"


def check_fitted(estimator: Any, kinds: str, needs: str = "labels_") -> None:
    """TypeError unless the estimator is of one of the ``kinds``; NotFittedError before its fit.

    An estimator of another class is accepted if it has the attribute that the display ``needs``.
    """
    if hasattr(estimator, "steps"):
        raise TypeError(
            f"estimator must be a fitted {kinds}; got a {type(estimator).__name__}. Write "
            "pipeline[-1] for the estimator, and pipeline[:-1].transform(X) for its X."
        )
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        kind = "the class " * isinstance(estimator, type) + _name(estimator)
        raise TypeError(f"estimator must be a fitted {kinds}, and it comes first; got {kind}.")
    check_is_fitted(estimator)
    if not hasattr(estimator, needs):
        raise TypeError(
            f"estimator must be a fitted {kinds}; got {_name(estimator)}, which has no {needs}."
        )


def check_result(result: Any, kind: type, function: str) -> None:
    """TypeError unless a result is that of a function of ``kgroups.select``."""
    if not isinstance(result, kind):
        raise TypeError(
            f"expected the {kind.__name__} that kgroups.select.{function} returns; got "
            f"{_name(result)}."
        )


def _name(value: Any) -> str:
    return (value if isinstance(value, type) else type(value)).__name__
