"""How the rows of a fit are held: in a file, sparse, in float32, or on workers of this process."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone

from kgroups import blocks
from kgroups.solvers import Progress


@contextmanager
def held(rows: Any, how: str) -> Iterator[Any]:
    """The same rows, where a fit is to find them."""
    if how == "npy":
        with TemporaryDirectory() as folder:
            np.save(Path(folder) / "rows.npy", rows)
            yield blocks.from_npy(Path(folder) / "rows.npy")
    elif how == "dask":
        import dask.array as da
        from distributed import Client

        workers = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
        with Client(**workers, dashboard_address=":0"):
            yield da.from_array(rows, chunks=(len(rows) // 3, rows.shape[1]))
    else:
        yield {"": lambda X: X, "float32": np.float32, "sparse": csr_array}[how](rows)


def fit_twice(model: Any, X: Any) -> Any:
    """The fit that goes on from the checkpoint of one that was interrupted in its second sweep."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fit.kg"
        with suppress(InterruptedError):
            clone(model).set_params(verbose=_interrupt).fit(X, checkpoint=path)
        if not path.exists():
            raise LookupError("the fit ended before its first checkpoint")
        return model.fit(X, checkpoint=path)


def _interrupt(event: Progress) -> None:
    if event.phase == "sweep" and event.number == 2:
        raise InterruptedError
