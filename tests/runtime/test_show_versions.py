"""What a report of a problem says about the machine."""

import os
import re
import subprocess
import sys
from importlib.metadata import version

import kgroups
from kgroups.native import instructions
from kgroups.runtime.threads import effective_n_jobs


def lines_of(text):
    return dict(re.split(r"\s{2,}", line, maxsplit=1) for line in text.splitlines())


def test_versions_cores_threads_and_vectors(capsys):
    kgroups.show_versions()
    found = lines_of(capsys.readouterr().out)
    assert found["kgroups"] == kgroups.__version__
    for package in ("numpy", "scipy", "scikit-learn", "numba"):
        assert found[package] == version(package)
    assert found["instructions"] == instructions
    assert found["library"].endswith("kernels.bin")
    assert found["threads"] == f"{effective_n_jobs(None)} for n_jobs=None"
    assert f"{effective_n_jobs(-1)} may be used" in found["cores"]


def test_settings_of_the_environment(tmp_path):
    """The folder of compiled code, a processor chosen by hand, and the number of threads."""
    environment = {
        "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_CPU_NAME": "haswell", "OMP_NUM_THREADS": "1",
        "NUMBA_DISABLE_JIT": "0",
    }  # fmt: skip
    code = "import kgroups; kgroups.show_versions()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    found = lines_of(done.stdout)
    assert found["compiled code"].startswith(str(tmp_path))
    assert found["processor"] == "haswell (chosen by NUMBA_CPU_NAME)"
    assert found["threads"] == "1 for n_jobs=None"
    assert found["OMP_NUM_THREADS"] == "1"
