"""What comes before and after a fit: the import, the help, tables and models in files."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import kgroups
from benchmarks import common
from benchmarks.fit import estimator
from kgroups.input.table_files import read_table


class Start:
    """Whole processes."""

    def time_import(self) -> None:
        """The package, which loads lazily."""
        subprocess.run([sys.executable, "-c", "import kgroups"], check=True)

    def time_import_of_an_estimator(self) -> None:
        """The package with all that a fit needs."""
        subprocess.run([sys.executable, "-c", "from kgroups import KernelKGroups"], check=True)

    def time_help(self) -> None:
        """The command line."""
        command = [sys.executable, "-m", "kgroups", "--help"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class _InFolder:
    """A folder for each measurement."""

    def setup(self, *_: object) -> None:
        """Make the folder."""
        self.place = TemporaryDirectory()
        self.folder = Path(self.place.name)

    def teardown(self, *_: object) -> None:
        """Remove it."""
        self.place.cleanup()


class Tables(_InFolder):
    """A table of 100,000 rows as CSV and as Parquet."""

    def setup(self) -> None:
        """Write the table."""
        super().setup()
        X, _ = common.blobs(100_000)
        names = [f"x{i}" for i in range(X.shape[1])]
        np.savetxt(self.folder / "X.csv", X, fmt="%.6g", delimiter=",", header=",".join(names))
        table = pa.table(dict(zip(names, X.T, strict=True)))
        parquet.write_table(table, self.folder / "X.parquet", row_group_size=20_000)

    def time_csv(self) -> None:
        """Read all rows."""
        read_table(str(self.folder / "X.csv"))

    def peakmem_csv(self) -> None:
        """The memory of the process."""
        read_table(str(self.folder / "X.csv"))

    def time_blocks(self) -> None:
        """Read all rows by blocks of the Parquet file."""
        rows = kgroups.blocks.from_parquet(self.folder / "X.parquet")
        for start in range(0, rows.n_rows, 10_000):
            rows.read(start, min(start + 10_000, rows.n_rows))

    def peakmem_fit_of_blocks(self) -> None:
        """A sketch of rows that stay in the file."""
        rows = kgroups.blocks.from_parquet(self.folder / "X.parquet")
        estimator(method="nystroem").fit(rows)


class Models(_InFolder):
    """A model in a file."""

    params = ([1_000, 20_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        """Fit and save a model."""
        super().setup()
        self.path = self.folder / "model.kg"
        self.model = estimator(method="nystroem", n_init=1).fit(common.blobs(n)[0])
        self.model.save(self.path)

    def time_save(self, n: int) -> None:
        """Write the file."""
        self.model.save(self.path)

    def time_load(self, n: int) -> None:
        """Read it."""
        kgroups.load(self.path)

    def track_bytes(self, n: int) -> int:
        """The size of the file."""
        return self.path.stat().st_size
