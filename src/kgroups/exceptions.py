"""The warnings of this package that a user may want to filter by name."""


class TheoryWarning(UserWarning):
    """The request is legitimate, but the theory behind energy statistics does not cover it."""
