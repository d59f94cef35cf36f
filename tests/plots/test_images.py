"""Pages as they look, against small kept pictures.

``KGROUPS_REMAKE_IMAGES=1 pytest tests/plots/test_images.py`` makes the pictures anew; look at each
of them before they are kept. Pictures are compared by the mean colors of squares of ten pixels,
part by part: another version of matplotlib has other letters, which move panels by a few pixels.
That is tolerated; a panel that changes is not.
"""

import io
import os
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from plot_cases import blobs
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from helpers import each
from kgroups import KernelKGroups
from kgroups.plots import overview
from kgroups.semimetrics import Energy

FOLDER = Path(__file__).parent / "images"
DOTS, SQUARE, PARTS, MOVED = 40, 10, 8, 4
# Root of the mean squared difference of squares, in the worst of 8 x 8 parts of a page, for colors
# from 0 to 255. Measured: at most 2.5 with the version of matplotlib that made the pictures; at
# most 28 between 3.9 and 3.11, on two pages that are full of thin tiles, and 13 on all others; from
# 14 to 190 where a panel is missing.
TOLERANCE, OF_OTHERS = 6.0, 32.0

WORDS = ["cat", "cart", "card", "hat", "hart", "dog", "dogs", "dig", "fog", "banana", "bandana"]
WINE = load_wine(as_frame=True).data


def fitted(k, X, **options):
    return KernelKGroups(k, n_init=2, random_state=0, **options).fit(X)


@cache
def wine():
    X = StandardScaler().fit_transform(WINE)
    return fitted(3, X), X


def two_clusters():
    model, X = fitted(2, wine()[1]), wine()[1]
    return overview(model, X, table=WINE)


def words():
    return overview(fitted(3, WORDS, metric="levenshtein"), WORDS)


def mixed_table():
    rng = np.random.default_rng(3)
    group = rng.integers(3, size=90)
    table = pd.DataFrame({
        "size": rng.normal(group * 4.0),
        "weight": rng.normal(group * -2.0),
        "color": np.array(["red", "green", "blue"])[group],
        "day": np.datetime64("2024-01-01") + 30 * group + rng.integers(9, size=90),
        "shape": np.array(["round", "square"])[rng.integers(2, size=90)],
    })  # fmt: skip
    return overview(fitted(3, table, metric="mixed"), table)


def precomputed_kernel():
    K = np.exp(-Energy(2.0).pairwise(blobs(60, 3)) / 9)
    names = [f"row {i}" for i in range(60)]
    return overview(fitted(3, K, metric="precomputed_kernel"), K, names=names)


PAGES = [two_clusters, words, mixed_table, precomputed_kernel]


def drawn(figure, dots=DOTS):
    """A page as a picture."""
    buffer = io.BytesIO()
    FigureCanvasAgg(figure)
    figure.savefig(buffer, format="png", dpi=dots)
    return Image.open(buffer).convert("RGB")


def squares(pixels):
    """Mean colors of squares of pixels, (rows, columns, 3)."""
    rows, columns = (length // SQUARE for length in pixels.shape[:2])
    cut = pixels[: rows * SQUARE, : columns * SQUARE]
    return cut.reshape(rows, SQUARE, columns, SQUARE, 3).mean(axis=(1, 3))


def difference(picture, other):
    """The largest difference of any part; infinite for pictures of other sizes.

    Each part counts as it fits best if the picture is moved by a few pixels.
    """
    if picture.size != other.size:
        return np.inf
    one, two = (np.asarray(image.convert("RGB"), float) for image in (picture, other))
    fixed, moves = squares(two), range(-MOVED, MOVED + 1, 2)
    found = [
        by_part(squares(np.roll(one, (down, right), (0, 1))) - fixed)
        for down in moves
        for right in moves
    ]
    return float(np.min(found, axis=0).max())


def by_part(differences):
    """Root mean square in each of the parts of the page."""
    squared = np.square(differences).mean(axis=2)
    rows = np.array_split(squared, PARTS)
    parts = [part for row in rows for part in np.array_split(row, PARTS, axis=1)]
    return [float(np.sqrt(part.mean())) for part in parts]


def kept(page):
    return FOLDER / f"{page.__name__}.png"


def version():
    """Of matplotlib, without what mends errors only."""
    return ".".join(mpl.__version__.split(".")[:2])


def keep(path, picture):
    made_by = PngInfo()
    made_by.add_text("matplotlib", version())
    small = picture.quantize(128, kmeans=4, dither=Image.Dither.NONE)
    small.save(path, optimize=True, pnginfo=made_by)


def compare(path, picture):
    """Compare with the picture that was kept, or keep it if that is asked for."""
    if os.environ.get("KGROUPS_REMAKE_IMAGES"):
        keep(path, picture)
    with Image.open(path) as expected:
        same = expected.text["matplotlib"] == version()
        assert difference(picture, expected) < (TOLERANCE if same else OF_OTHERS)


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
@each("page", PAGES, ids=lambda page: page.__name__)
def test_a_page_looks_as_the_one_that_was_kept(page):
    compare(kept(page), drawn(page()))
    assert kept(page).stat().st_size < 25_000


def test_a_page_with_other_clusters_columns_or_colors_is_another():
    with Image.open(kept(two_clusters)) as expected:
        model, X = wine()
        assert difference(drawn(overview(model, X, table=WINE)), expected) > 2 * TOLERANCE
        model = fitted(2, X)
        assert difference(drawn(overview(model, X)), expected) > TOLERANCE
        assert difference(drawn(overview(model, X, table=WINE)), expected) < TOLERANCE
        model.labels_ = 1 - model.labels_
        assert difference(drawn(overview(model, X, table=WINE)), expected) > 2 * TOLERANCE


def test_every_kept_picture_is_of_a_page():
    assert {path.name for path in FOLDER.iterdir()} == {kept(page).name for page in PAGES}
