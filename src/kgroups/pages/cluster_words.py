"""Clusters in words that need no statistics: what is high or low in them, and what is frequent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from kgroups.answers.profiles import CategoryProfile, NumberProfile, Profiles
from kgroups.pages.shown_names import in_sentence
from kgroups.report import ClusterProfile
from kgroups.text import counted
from kgroups.typing import Float64Array

#: Standard deviations from which on a column is mentioned, called high, and called very high.
MENTIONED, PLAINLY, VERY = 0.25, 0.5, 1.5
#: Columns named for a cluster.
N_COLUMNS = 3
#: What is said of a cluster that nothing sets apart.
AS_ALL = "close to all rows in every column"
# Differences of means with fewer digits could not be seen.
_DIGITS = 2
# Numbers with more digits are easier to read with a power of ten.
_MOST_DIGITS, _LARGEST = 6, 1e12
_EPOCH = date(1970, 1, 1)


def size_in_words(cluster: ClusterProfile) -> str:
    """The number of rows with their share.

    >>> size_in_words(ClusterProfile(size=3, weight=3, share=0.25, dispersion=None, deviations=()))
    '3 rows, 25%'
    """
    return f"{counted(cluster.size, 'row')}, {percent(cluster.share)}"


def percent(share: float) -> str:
    """A share in whole percent, with words near the ends.

    >>> percent(0.254), percent(0.001), percent(0.999)
    ('25%', 'less than 1%', 'more than 99%')
    """
    if 0 < share < 0.01:
        return "less than 1%"
    return "more than 99%" if 0.99 < share < 1 else f"{share:.0%}"


def apart_in_words(profiles: Profiles, cluster: int) -> list[str]:
    """What sets a cluster apart, the farthest first; empty where nothing does."""
    return [_in_words(profiles.columns[c], cluster) for c in _named(profiles, cluster)]


def _named(profiles: Profiles, cluster: int) -> list[int]:
    """The columns by which a cluster is described, the farthest first."""
    values = np.abs([float(column.values[cluster]) for column in profiles.columns])
    order = np.argsort(-values, kind="stable")[:N_COLUMNS].tolist()
    return [c for c in order if values[c] >= MENTIONED]


def unlike_in_words(profiles: Profiles, cluster: int) -> str | None:
    """In what a cluster differs most from the one that is most like it, if that is another column.

    None where the column is named already among those that set the cluster apart.
    """
    if profiles.n_clusters < 2 or not profiles.columns:
        return None
    far = differences(profiles, cluster)
    far[:, cluster] = np.inf
    other = int(np.argmin((far**2).sum(axis=0)))
    most = int(np.argmax(far[:, other]))
    if most in _named(profiles, cluster) or far[most, other] < PLAINLY:
        return None
    column = profiles.columns[most]
    name = in_sentence(column.name)
    if isinstance(column, NumberProfile):
        own, there = (number_text(column, float(column.means[j])) for j in (cluster, other))
        return f"unlike cluster {other}, {name} is {own} on average ({there} there)"
    own, there = (_category(column, j) for j in (cluster, other))
    return f"unlike cluster {other}, {name} is {own} (there {there})"


def told_apart_by(profiles: Profiles, cluster: int, other: int) -> str | None:
    """The only column in which two clusters differ, if that is one of categories; or None."""
    far = differences(profiles, cluster)[:, other]
    most = int(np.argmax(far)) if len(far) else 0
    is_alone = len(far) > 1 and far[most] >= VERY and np.delete(far, most).max() < PLAINLY
    is_category = is_alone and isinstance(profiles.columns[most], CategoryProfile)
    return profiles.columns[most].name if is_category else None


def differences(profiles: Profiles, cluster: int) -> Float64Array:
    """How far each cluster is from one of them in each column, in standard deviations, (D, k).

    Two clusters with different characteristic categories differ by both of their deviations.
    """
    found = np.zeros((len(profiles.columns), profiles.n_clusters))
    for c, column in enumerate(profiles.columns):
        values = column.values
        if isinstance(column, CategoryProfile):
            own = column.categories[cluster]
            same = np.array([category == own for category in column.categories])
            found[c] = np.where(same, np.abs(values - values[cluster]), values + values[cluster])
        else:
            found[c] = np.abs(values - values[cluster])
    return found


def _category(column: CategoryProfile, cluster: int) -> str:
    found = column.categories[cluster]
    if found is None:
        return "as in all rows"
    share = float(column.shares[cluster])
    return f"{_frequency(share)} {in_sentence(found)}, {percent(share)}"


def _in_words(column: NumberProfile | CategoryProfile, cluster: int) -> str:
    name, value = in_sentence(column.name), float(column.values[cluster])
    if isinstance(column, NumberProfile):
        own = number_text(column, float(column.means[cluster]))
        everywhere = number_text(column, column.mean_of_all)
        return f"{name} is {_degree(column, value)} ({own} on average; all rows {everywhere})"
    share, of_all = float(column.shares[cluster]), float(column.shares_of_all[cluster])
    category = in_sentence(column.categories[cluster])
    return (
        f"{name} is {_frequency(share)} {category} ({percent(share)}; all rows {percent(of_all)})"
    )


def _degree(column: NumberProfile, value: float) -> str:
    """How far a mean is from that of all rows."""
    side = ("late" if value > 0 else "early") if column.is_date else "high" if value > 0 else "low"
    if abs(value) >= VERY:
        return f"very {side}"
    return side if abs(value) >= PLAINLY else f"somewhat {side}"


def _frequency(share: float) -> str:
    if share == 1:
        return "always"
    if share >= 0.95:
        return "nearly always"
    return "mostly" if share > 0.5 else "more often"


def number_text(column: NumberProfile, value: float) -> str:
    """A mean with as many decimals as tell it from others, or the day of a date."""
    if column.is_date:
        return day(value)
    if column.sd == 0 or not (math.isfinite(value) and math.isfinite(column.sd)):
        return f"{value:.4g}"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(column.sd)))
    if decimals > _MOST_DIGITS or abs(value) >= _LARGEST:
        return f"{value:.4g}"
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"  # 0 without a sign


def day(days: float) -> str:
    """A number of days since 1970 as a date; as a number outside of what calendars know.

    >>> day(0.0), day(float("nan"))
    ('1970-01-01', 'missing')
    """
    if math.isnan(days):
        return "missing"
    try:
        return (_EPOCH + timedelta(days=days)).isoformat()
    except (OverflowError, ValueError):
        return f"day {days:.4g}"


def listed(items: Sequence[str]) -> str:
    """Items as a sentence lists them.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(part for part in (", ".join(items[:-1]), *items[-1:]) if part)
