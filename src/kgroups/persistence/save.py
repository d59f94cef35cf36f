"""Writing a fitted model into a file."""

from __future__ import annotations

import os
import warnings
from inspect import signature
from pathlib import Path
from typing import IO, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from kgroups.estimators.cluster_answers import MADE
from kgroups.persistence.format_steps import FORMAT
from kgroups.persistence.kept_classes import estimator_name
from kgroups.persistence.member_files import MemberWriter
from kgroups.persistence.value_reader import array_name
from kgroups.persistence.value_writer import ValueWriter
from kgroups.runtime.written_whole import written_whole
from kgroups.version import __version__

#: The member with everything but the arrays.
MODEL = "model.json"
#: What the manifest says the file is.
WHAT = "a model of kgroups"


def save(model: BaseEstimator, path: str | os.PathLike[str], preparation: Any = None) -> None:
    """Write a fitted estimator into a file, whole or not at all; see ``Estimator.save``.

    ``preparation`` is what a program wants to find again with the model, as values that a file
    holds: what the command line has done to the columns of a table.
    """
    with written_whole(Path(path)) as stream:
        write_model(model, stream, preparation)


def write_model(model: BaseEstimator, stream: IO[bytes], preparation: Any = None) -> None:
    """The same into a stream that can be written anywhere."""
    name = estimator_name(model)
    check_is_fitted(model)
    writer = ValueWriter()
    content = {"class": name, **_model(model, name, writer)}
    content["preparation"] = writer.tree(preparation, "preparation")
    members = MemberWriter(stream)
    members.add_json(MODEL, content)
    for number, array in enumerate(writer.arrays):
        members.add_array(array_name(number), array)
    members.finish({"what": WHAT, "format": FORMAT, "kgroups": __version__})


def _model(model: BaseEstimator, name: str, writer: ValueWriter) -> dict[str, Any]:
    parameters = model.get_params(deep=False)
    kept = {}
    for key, value in parameters.items():
        kept[key] = writer.tree(_plain(model, key, value), f"{name}.{key}")
    found = {
        key: writer.tree(value, f"{name}.{key}")
        for key, value in vars(model).items()
        if key not in parameters and key != MADE
    }
    return {"parameters": kept, "attributes": found}


def _plain(model: BaseEstimator, parameter: str, value: Any) -> Any:
    """A parameter, or its default where it is a state or a function that only a fit needs."""
    is_state = isinstance(value, (np.random.RandomState, np.random.Generator))
    if parameter == "metric" or not (is_state or callable(value)):
        return value
    default = signature(type(model)).parameters[parameter].default
    warnings.warn(
        f"{parameter}={value!r} is not kept, because only another fit would need it: the loaded "
        f"model has {parameter}={default!r}.",
        RuntimeWarning,
        stacklevel=6,
    )
    return default
