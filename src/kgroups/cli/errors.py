"""What can be wrong with a command line; what can be wrong with data is a DataError."""


class UsageError(Exception):
    """Options that do not go together, with what to write instead."""


class OutputError(Exception):
    """A result that cannot be written or drawn, with the reason."""
