"""Tables with gaps: ``metric="mixed"`` against imputation by hand, ``python -m comparisons.gaps``.

Public sets with classes. Five are mixed, or of truth values, by their description; in the others a
third of the columns stays, a third becomes one of five grades, a third one of three words, in turn.
A fifth of the entries is removed at random, ten times. By hand: the median for numbers and ranks,
the most frequent category, one column of 0 and 1 per category, all columns standardized.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from comparisons.common import Limits, data_folder, options, print_table
from kgroups import KernelKGroups
from kgroups.exceptions import LookalikeWarning
from kgroups.semimetrics import Mixed

#: The share of the entries that are removed; how far below one by hand a mean of LIMITED may be.
REMOVED, BELOW = 0.2, 0.01
MIXED = ("cmc", "covertype_sample", "dermatology", "fertility")
MADE = ("forest_type_mapping", "glass", "image_segmentation", "ionosphere", "seeds", "vehicle")
SETS = sorted((*MIXED, *MADE, "spect_heart"))
LIMITED = (*MIXED, *MADE[:2])
QUICK = ("dermatology", "forest_type_mapping", "glass")
OURS, HALF, ENERGY, KMEANS = "mixed", "mixed, alpha=1/2", "energy by hand", "KMeans by hand"
#: Columns in turn, though the files spell numbers: a number, a grade, a truth value or a word.
TYPES = {"n": float, "g": pd.CategoricalDtype(ordered=True), "t": bool, "w": object}
KINDS = {
    "cmc": "nggnttwgt",
    "dermatology": "g" * 10 + "t" + "g" * 22 + "n",
    "fertility": "wntttgggn",
    "spect_heart": "t" * 22,
}


def typed(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The columns of a set with their types, and its classes."""
    table = pd.read_csv(folder / f"{name}.csv")
    classes = table.pop("label").to_numpy()
    if name == "covertype_sample":
        return _joined(table, ("Wilderness_Area", "Soil_Type")), classes
    if name not in KINDS:
        return made_mixed(table), classes
    kinds = dict(zip(table.columns, KINDS[name], strict=True))
    for column in (column for column, kind in kinds.items() if kind == "w"):
        table[column] = table[column].map("word {}".format)
    return table.astype({column: TYPES[kind] for column, kind in kinds.items()}), classes


def _joined(table: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Categories that the file spells out as columns of 0 and 1."""
    for name in names:
        spelled = [column for column in table if column.startswith(name)]
        table[name] = table[spelled].idxmax(axis=1).astype(object)
        table = table.drop(columns=spelled)
    return table


def made_mixed(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers, grades and words in turn; columns of fewer than five values stay."""
    made = {}
    for place, (name, column) in enumerate(table.items()):
        if place % 3 == 0 or column.nunique() < 5:
            made[name] = column.astype(float)
        elif place % 3 == 1:
            grades = pd.qcut(column, 5, labels=False, duplicates="drop")
            made[name] = pd.Series(pd.Categorical(grades, ordered=True))
        else:
            words = pd.qcut(column.rank(method="first"), 3, labels=["low", "middle", "high"])
            made[name] = words.astype(object)
    return pd.DataFrame(made)


def with_gaps(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The table without a fifth of its entries."""
    removed = np.random.default_rng(seed).random(table.shape) < REMOVED
    return table.astype({c: object for c in table if table[c].dtype == bool}).mask(removed)


def by_hand(table: pd.DataFrame) -> np.ndarray:
    """Imputed, one column per category, standardized."""
    parts = []
    for _, column in table.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            ranks = column.cat.codes.astype(float).where(column.notna())
            parts.append(ranks.fillna(ranks.median()))
        elif column.dtype.kind in "if":
            parts.append(column.fillna(column.median()))
        else:
            words = column.where(column.notna(), column.mode()[0]).map(str)
            parts.append(pd.get_dummies(words, drop_first=words.nunique() == 2, dtype=float))
    return StandardScaler().fit_transform(pd.concat(parts, axis=1).to_numpy())


def scores(table: pd.DataFrame, classes: np.ndarray, seed: int) -> dict[str, float]:
    """The adjusted Rand index of each way, with gaps of this seed."""
    k, gaps = len(np.unique(classes)), with_gaps(table, seed)
    X = by_hand(gaps)
    found = {
        OURS: KernelKGroups(k, metric=Mixed(), random_state=seed).fit_predict(gaps),
        HALF: KernelKGroups(k, metric=Mixed(alpha=0.5), random_state=seed).fit_predict(gaps),
        ENERGY: KernelKGroups(k, random_state=seed).fit_predict(X),
        KMEANS: KMeans(k, n_init=10, random_state=seed).fit_predict(X),
    }
    return {name: float(adjusted_rand_score(classes, labels)) for name, labels in found.items()}


def check(limits: Limits, means: pd.DataFrame) -> None:
    """Squared distances next to squared, roots next to roots, and what docs/gaps.md says."""
    some = means[means.index.isin(LIMITED)]
    for ours, theirs in ((OURS, KMEANS), (HALF, ENERGY)):
        more = some[ours] - some[theirs]
        limits.at_least(f"least {ours} - {theirs}", more.min(), -BELOW)
        limits.at_least(f"sets with {ours} above {theirs}", (more > 0).sum(), min(3, len(more)))
    below = means[OURS] < means[ENERGY] - BELOW
    limits.at_most(f"sets with {OURS} far below {ENERGY}", below.sum(), 2)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 where a limit is missed."""
    given = options(__doc__, data_dir="it holds uci/cmc.csv and so on").parse_args(arguments)
    folder = data_folder(given.data_dir, "uci")
    if folder is None:
        print("not here: uci/*.csv; --data-dir or $KGROUPS_DATA names the folder that has it")
        return 1
    # Grades are numbers in these files, and are meant to be grades.
    warnings.simplefilter("ignore", LookalikeWarning)
    means, rows = {}, []
    for name in QUICK if given.quick else SETS:
        table, classes = typed(folder, name)
        every = pd.DataFrame([scores(table, classes, s) for s in range(3 if given.quick else 10)])
        means[name], errors = every.mean(), every.std() / np.sqrt(len(every))
        entries = [f"{means[name][way]:.3f} ± {errors[way]:.3f}" for way in every]
        rows.append([name, f"{len(table):,}", str(len(np.unique(classes))), *entries])
    print_table(["set", "rows", "k", OURS, HALF, ENERGY, KMEANS], rows)
    print()
    limits = Limits()
    check(limits, pd.DataFrame(means).T)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
