"""What all tests of pictures share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    """No test leaves figures of pyplot to the next."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
