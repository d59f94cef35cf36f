"""Words in tiles: what they say, which of them fit, and in which ink."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

from kgroups.answers.profiles import CategoryProfile, NumberProfile
from kgroups.plots._tile_words import short_names, words_of, write_in_tiles
from kgroups.plots.style import INK


def numbers(*means, is_date=False):
    values = np.zeros(len(means))
    return NumberProfile(
        name="x", means=np.array(means), mean_of_all=0.0, sd=1.0, values=values, explained=0.0,
        is_date=is_date,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mean", "word"),
    [
        (0.0, "0"), (2.0, "2"), (-0.12345, "−0.123"), (99.96, "100"), (999.0, "999"),
        (1234.5, "1,234"), (-54321.0, "-54,321"), (2.5e6, "2.5e+06"), (3e-7, "3e−07"),
        (np.nan, ""),
    ],
)  # fmt: skip
def test_means_have_three_digits_or_all_of_a_whole_number(mean, word):
    assert words_of(numbers(mean), 0) == [word]


def test_days_since_1970_are_dates():
    assert words_of(numbers(0.0, 19_723.5, -1.0, is_date=True), 1) == ["2024-01-01"]
    assert words_of(numbers(0.0, 19_723.5, -1.0, is_date=True), 2) == ["1969-12-31"]


def test_categories_say_less_and_less():
    column = CategoryProfile(
        name="c", categories=("a long name of a category", None), shares=np.array([0.756, 0.0]),
        shares_of_all=np.array([0.25, 0.0]), values=np.zeros(2), explained=0.0,
    )  # fmt: skip
    assert words_of(column, 0) == [
        "a long name o… 76%, all 25%", "a long name o… 76%\nall 25%", "a long name o… 76%", "76%",
    ]  # fmt: skip
    assert words_of(column, 1) == ["as all"]


def tiles(values, words, width=4.0, height=3.0):
    """Texts in the tiles of a picture that was drawn."""
    figure = Figure(figsize=(width, height))
    ax = figure.add_axes((0, 0, 1, 1))
    image = ax.imshow(values, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
    texts = write_in_tiles(ax, words, image)
    figure.savefig(io.BytesIO(), format="png", dpi=100)
    return figure, texts


def test_the_first_words_that_fit_are_shown_within_their_tiles():
    long, short = "a sentence that needs a wide tile", "tile"
    for width, expected in ((9.0, long), (3.0, short)):
        figure, (row,) = tiles(np.zeros((1, 3)), [[[long, short]] * 3], width)
        assert [text.get_text() for text in row] == [expected] * 3
        tile = figure.bbox.width / 3
        for place, text in enumerate(row):
            assert text.get_visible()
            box = text.get_window_extent()
            assert place * tile <= box.x0 < box.x1 <= (place + 1) * tile


def test_another_size_of_the_picture_is_another_choice():
    figure, (row,) = tiles(np.zeros((1, 2)), [[["a sentence for a tile", "tile"]] * 2], 1.5)
    assert row[0].get_text() == "tile"
    figure.set_size_inches(6, 3)
    figure.savefig(io.BytesIO(), format="png", dpi=100)
    assert row[0].get_text() == "a sentence for a tile"


def test_words_are_hidden_where_they_do_not_fit_and_everywhere_if_few_fit():
    wide, narrow = ["w" * 40], ["i"]
    _, (row,) = tiles(np.zeros((1, 3)), [[narrow, narrow, wide]])
    assert [text.get_visible() for text in row] == [True, True, False]
    _, (row,) = tiles(np.zeros((1, 3)), [[narrow, wide, wide]])
    assert [text.get_visible() for text in row] == [False] * 3
    _, (row,) = tiles(np.zeros((1, 3)), [[["a\nb\nc"]] * 3], height=0.2)
    assert [text.get_visible() for text in row] == [False] * 3


def test_words_are_white_on_dark_tiles_and_dark_on_light_ones():
    _, (row,) = tiles([[-2.0, 0.0, 2.0]], [[["a"], ["b"], ["c"]]])
    assert [text.get_color() for text in row] == ["white", INK, "white"]


def test_names_are_cut_in_the_middle_only_if_their_beginnings_are_alike():
    assert short_names(["alpha", "beta"], 4) == ["alp…", "beta"]
    assert short_names(["item number 1", "item number 2"], 9) == ["item…er 1", "item…er 2"]
    assert short_names(["same", "same"], 9) == ["same", "same"]
    assert short_names(["a\nb"], 9) == [short_names(["a\nb"], 9)[0].replace("\n", "")]
    assert all(len(name) == 9 for name in short_names(["x" * 20 + c for c in "ab"], 9))
