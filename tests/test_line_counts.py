"""The code gets no longer: lines of each package and of each file, and names of test files."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The most lines that all files of a folder may have. Who makes a folder smaller lowers its limit.
LIMITS = {
    "src/kgroups": 63_495,
    "src/kgroups/answers": 1_096,
    "src/kgroups/blocks": 796,
    "src/kgroups/bounds": 1_138,
    "src/kgroups/certificate": 4_341,
    "src/kgroups/cli": 3_104,
    "src/kgroups/dask": 1_616,
    "src/kgroups/estimators": 1_991,
    "src/kgroups/fit": 1_945,
    "src/kgroups/gram": 2_792,
    "src/kgroups/graphs": 7_168,
    "src/kgroups/input": 5_817,
    "src/kgroups/metrics": 548,
    "src/kgroups/pages": 3_439,
    "src/kgroups/native": 141,
    "src/kgroups/persistence": 574,
    "src/kgroups/plots": 4_584,
    "src/kgroups/report": 3_082,
    "src/kgroups/runtime": 1_549,
    "src/kgroups/select": 3_845,
    "src/kgroups/semimetrics": 5_138,
    "src/kgroups/sketch": 1_572,
    "src/kgroups/solvers": 4_429,
    "src/kgroups/stats": 1_779,
    "src/native": 6_240,
    "benchmarks": 5_794,
    "comparisons": 1_922,
    "papers": 2_402,
    "tests": 39_483,
}
# Files of more than 500 lines; none is added.
LONG = {"benchmarks/hunt/judge_tables.py", "benchmarks/hunt/problems.py"}
FILES = {
    path.relative_to(ROOT).as_posix(): path.read_bytes().count(b"\n")
    for folder in ("src", "src/native", "benchmarks", "comparisons", "papers", "tests")
    for path in (ROOT / folder).rglob("*.*pp" if folder == "src/native" else "*.py")
}


def test_no_package_gets_longer():
    packages = {path.parent for path in (ROOT / "src").glob("kgroups/*/__init__.py")}
    assert {path.relative_to(ROOT).as_posix() for path in packages} <= LIMITS.keys()
    lines = {
        folder: sum(n for name, n in FILES.items() if name.startswith(f"{folder}/"))
        for folder in LIMITS
    }
    assert not {folder: n for folder, n in lines.items() if n > LIMITS[folder]}


def test_no_file_is_longer_than_500_lines():
    assert not {name: n for name, n in FILES.items() if n > 500 and name not in LONG}


def test_no_two_test_files_have_the_same_name():
    names = Counter(Path(name).name for name in FILES if "/test_" in name)
    assert not [name for name, n in names.items() if n > 1]
