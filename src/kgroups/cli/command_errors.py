"""Problems with a command line or its output; problems with data are a DataError."""


class UsageError(Exception):
    """Options that contradict each other; the message says what to write instead."""


class OutputError(Exception):
    """A result that cannot be written or drawn; the message gives the reason."""
