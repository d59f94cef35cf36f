"""Why a method stands in a table."""

import enum


class Role(enum.Enum):
    """Why a method stands in a table."""

    PAPER = "as published"
    #: The published numbers come out with settings that the paper does not state.
    INFERRED = "as inferred"
    CORRECTED = "corrected"
    BEYOND = "beyond the paper"
    DEFAULT = "kgroups' defaults"

    @property
    def is_of_paper(self) -> bool:
        """Whether it stands for a method of the paper."""
        return self in (Role.PAPER, Role.INFERRED)
