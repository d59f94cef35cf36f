"""What is imported when, and what is said where Dask is not installed."""

import subprocess
import sys

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {module!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def output_of(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_package_does_not_import_dask():
    program = (
        "import sys, kgroups, kgroups.blocks\n"
        "kgroups.KernelKGroups, kgroups.dask.__name__ if False else None\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'dask', 'distributed'}))"
    )
    assert output_of(program) == "[]"


def test_dask_is_imported_when_it_is_asked_for():
    program = "import sys, kgroups\nkgroups.dask.KernelKGroups\nprint('distributed' in sys.modules)"
    assert output_of(program) == "True"


def test_without_dask_the_message_says_what_to_install():
    for module in ("dask", "distributed"):
        program = BLOCKED.format(module=module) + (
            "import kgroups\n"
            "try:\n    kgroups.dask\n"
            "except ImportError as error:\n    print(error)\n"
        )
        assert output_of(program) == (
            'kgroups.dask needs dask and distributed; run: pip install "kgroups[dask]"'
        )


def test_without_dask_all_else_is_there():
    program = BLOCKED.format(module="dask") + (
        "import kgroups\nprint(kgroups.KernelKGroups(2).fit([[0.0], [1.0], [9.0]]).labels_)"
    )
    assert output_of(program) == "[0 0 1]"
