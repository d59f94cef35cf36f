"""The exceptions and warnings of this package, to catch or to filter by name."""

__all__ = [
    "ComponentsNotice",
    "DataError",
    "EigenvectorError",
    "GraphNotice",
    "LookalikeWarning",
    "TheoryWarning",
]


class DataError(Exception):
    """An error in the data; the message says where it is and what to write instead."""


class EigenvectorError(RuntimeError):
    """A library of linear algebra lost eigenvectors, and every way around it failed."""


class TheoryWarning(UserWarning):
    """A request that works, but that the theory behind energy statistics does not cover."""


class LookalikeWarning(UserWarning):
    """Input that is valid, but looks like something else that was meant."""


class GraphNotice(UserWarning):
    """A change that was made to a graph so that it could be read as undirected."""


class ComponentsNotice(GraphNotice):
    """A graph is not connected; the message has the sizes of its components."""
