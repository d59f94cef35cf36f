"""Options that exclude each other, or need another one: checked before anything is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kgroups.cli.console import UsageError
from kgroups.names import EDIT_DISTANCES, MATRICES, OBJECT_METRICS, UNSCALED
from kgroups.text import quoted

_FIT = "--n-init --method --bound --memory-limit"
_FILLED = "--standardize --impute --categorical"
# An option, with its value if only that is meant; why it excludes others; and these.
_EXCLUDES = {
    "--certify": ("looks at labels that are given",
                  f"-k --curved --plot --report --append --save --proba {_FIT}"),
    "--curved": ("compares neighbors by Euclidean distance between numbers",
                 f"--metric --alpha --categorical --weight-column --time-limit --proba {_FIT}"),
    "--text": ("compares the words of one column", f"{_FILLED} --columns"),
    "--append": ("reads the table a second time", "-"),
    "--stream": ("does not hold all rows",
                 "--method=dense --method=matrix_free --method=certified"),
    **{f"--metric={name}": (f"compares {what}", "--standardize")
       for name, what in UNSCALED.items()},
    "--metric=mixed": ("compares rows with missing values in units of their own",
                       "--standardize --impute=mean --impute=most-frequent"),
    **{f"--metric={name}": ("compares one column of text", _FILLED) for name in EDIT_DISTANCES},
    **{f"--metric={name}": ("reads a matrix between points", f"{_FILLED} --columns --drop")
       for name in MATRICES},
}  # fmt: skip
# An option, the other one that it needs, and the values of this, if not all will do.
_NEEDS = {
    "--alpha": ("--metric", ("energy", "euclidean", "l2")),
    "--sigma": ("--metric", ("laplacian", "gaussian")),
    "--kinds": ("--metric", ("mixed",)),
    "--n-neighbors": ("--curved", ()),
    "--append": ("-o", ()),
    "--proba": ("-o", ()),
    "--source": ("--target", ()),
    "--target": ("--source", ()),
    "--r": ("--objective", ("bethe_hessian",)),
    "--resolution": ("--objective", ("modularity", "cpm")),
    "--weights": ("--objective", ("bethe_hessian", "ratio_association", "ratio_cut")),
}
#: What needs the whole table in memory.
NOT_IN_BLOCKS = [
    "--plot", "--report", "--standardize", "--impute", "--categorical", "--label-column",
    "--weight-column", "--append", "--save", "--certify", "--proba", "--bound=spectral",
    "--bound=semidefinite", "--curved", "--text",
    *(f"--metric={name}" for name in ("mixed", *OBJECT_METRICS, *MATRICES)),
]  # fmt: skip
_COLUMNS = (
    "--columns", "--drop", "--categorical", "--label-column", "--weight-column", "--id-column",
    "--by", "--text",
)  # fmt: skip


def check_together(values: Mapping[str, Any], plain: Mapping[str, Any]) -> set[str]:
    """What is given, as options and as options with their values.

    UsageError for options that contradict each other, or that do nothing without another one;
    ``values`` are those of all options by their names, and ``plain`` what they are by default.
    """
    given = {name for name, value in values.items() if value not in (None, False, plain.get(name))}
    for name, value in values.items():
        given |= {f"{name}={one}" for one in (value if isinstance(value, list) else [value])}
    if values.get("DATA") == "-":
        given.add("-")
    for option, (because, others) in _EXCLUDES.items():
        for other in others.split():
            if {option, other} <= given:
                raise UsageError(
                    f"{other.replace('=', ' ')} does not apply to {option.replace('=', ' ')}, "
                    f"which {because}; omit one of the two"
                )
    for option, (needed, some) in _NEEDS.items():
        if option in given and not ({f"{needed}={one}" for one in some} or {needed}) & given:
            only = f"applies only to {needed} {', '.join(some)}, not to {values[needed]}; omit it"
            raise UsageError(
                f"{option} {only if some else f'needs {needed}; give both or neither'}"
            )
    named = [values[option] for option in _COLUMNS if values.get(option)]
    uses = Counter(name for some in named for name in ([some] if isinstance(some, str) else some))
    if twice := [name for name, count in uses.items() if count > 1]:
        raise UsageError(f"column {quoted(twice[0])} is named twice; a column has one use")
    return given
