"""Reading a model from a file."""

from __future__ import annotations

import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from kgroups.exceptions import DataError
from kgroups.persistence.format_steps import FORMAT, brought_up
from kgroups.persistence.kept_classes import ESTIMATORS
from kgroups.persistence.member_files import MemberReader
from kgroups.persistence.save import MODEL, WHAT
from kgroups.persistence.sound import check_attributes
from kgroups.persistence.value_reader import MetricNeeded, UnknownValue, ValueReader
from kgroups.version import __version__

# What reading a file raises that is none of ours, or that somebody has changed.
_DAMAGE = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, EOFError, NotImplementedError,
    OverflowError, RecursionError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@dataclass(frozen=True)
class Loaded:
    """A model from a file, and what a program has kept with it."""

    model: Any
    preparation: Any


def load(path: str | os.PathLike[str], *, metric: Any = None) -> Any:
    """Read a model that its ``save`` wrote, on any machine, by this version or an older one.

    Nothing in a file is run: it holds numbers and texts, and objects of kgroups alone are made of
    them. A file is as large as the memory that its arrays take, and reading takes no more than that
    by what a header claims; the digests of all parts are compared. O(size of the file).

    Parameters
    ----------
    path : path
    metric : function or semimetric, default=None
        The metric of the fit, if it was a function of two objects or a semimetric of your own, of
        which a file holds the name only. A semimetric needs the parameters that the data of the fit
        gave it.

    Returns
    -------
    estimator
        With the same parameters and attributes, so that ``predict`` gives the same labels.

    Raises
    ------
    DataError
        For a file that is damaged, altered, not of a model, or written by a later version in a
        way that this one does not know.
    ValueError
        If ``metric`` is needed and not given, or given and not needed.

    Examples
    --------
    >>> import tempfile
    >>> import kgroups
    >>> model = kgroups.KernelKGroups(2, random_state=0).fit([[0.0], [1.0], [10.0], [12.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/groups.kg")
    ...     again = kgroups.load(f"{folder}/groups.kg")
    >>> bool((again.predict([[2.0], [9.0]]) == model.predict([[2.0], [9.0]])).all())
    True
    """
    return read_model(path, metric=metric).model


def read_model(path: str | os.PathLike[str], *, metric: Any = None) -> Loaded:
    """:func:`load`, with what was kept next to the model."""
    with Path(path).open("rb") as stream:
        members = _opened(stream, path)
        reader = ValueReader(members, metric)
        try:
            loaded = _loaded(members, reader)
        except MetricNeeded as needed:
            raise ValueError(_needs(path, str(needed), metric)) from None
        except UnknownValue as unknown:
            raise DataError(_of_later(members, path, str(unknown))) from None
        except _DAMAGE as error:
            raise _damaged(path, error) from error
    if metric is not None and not reader.has_used_metric:
        raise ValueError(
            f"{path} holds the metric of its model, {loaded.model.metric!r}; omit metric=."
            if hasattr(loaded.model, "metric")
            else f"{path} holds a model that has no metric; omit metric=."
        )
    return loaded


def _opened(stream: IO[bytes], path: str | os.PathLike[str]) -> MemberReader:
    """The members of a file in a format that is read."""
    try:
        members = MemberReader(stream)
        what, number = members.manifest["what"], members.manifest["format"]
        if what != WHAT or type(number) is not int or number < 1:
            raise ValueError("its manifest is not that of a model")
    except _DAMAGE as error:
        raise _damaged(path, error) from error
    if number > FORMAT:
        raise DataError(_of_later(members, path, f"format {number} of its files"))
    return members


def _loaded(members: MemberReader, reader: ValueReader) -> Loaded:
    members.begin()
    content = brought_up(members.json(MODEL), members.manifest["format"])
    name = content["class"]
    if name not in ESTIMATORS:
        raise UnknownValue(f"an estimator {name!r}")
    cls = ESTIMATORS[name]
    parameters = {key: reader.value(tree) for key, tree in content["parameters"].items()}
    strange = parameters.keys() - set(cls._get_param_names())
    if strange:
        raise UnknownValue(f"a parameter {min(strange)!r} of {name}")
    model = cls(**parameters)
    for key, tree in content["attributes"].items():
        if hasattr(cls, key) or not (key.endswith("_") or key.startswith("_")):
            raise ValueError(f"{key!r} is not an attribute of a fitted {name}")
        vars(model)[key] = reader.value(tree)
    check_attributes(vars(model), reader.longest)
    preparation = reader.value(content["preparation"])
    members.finish()
    return Loaded(model, preparation)


def _damaged(path: str | os.PathLike[str], error: Exception) -> DataError:
    return DataError(
        f"{path} is damaged, altered, or not a file that save() of a model wrote "
        f"({type(error).__name__}: {error})."
    )


def _of_later(members: MemberReader, path: str | os.PathLike[str], what: str) -> str:
    """What a file has that this version does not know, and which version does."""
    by = members.manifest.get("kgroups", "?")
    return (
        f"{path} was written by kgroups {by} and holds {what}, which kgroups {__version__} does "
        f"not know (it reads formats up to {FORMAT}); install kgroups {by} or later."
    )


def _needs(path: str | os.PathLike[str], name: str, metric: Any) -> str:
    found = "" if metric is None else f", and metric={metric!r} is another kind of metric"
    return (
        f"{path} holds the name of its metric, {name}, but not the metric itself, which is not one "
        f"of kgroups{found}; write kgroups.load({str(path)!r}, metric={name})."
    )
