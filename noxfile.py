"""One session per act: ``nox -s tests`` and so on; ``nox -l`` lists them."""

import nox

nox.options.sessions = ["lint", "types", "tests", "nojit"]
nox.options.default_venv_backend = "venv"

#: Slow tests run, too.
FULL = {"KGROUPS_FULL": "1"}
COMPARISONS = (
    *("kmeans", "peers", "communities", "certificate", "dask", "gaps", "counts", "shapes"),
    "cold_start",
)


def install(session: nox.Session, extra: str) -> None:
    session.install("-e", f".[{extra}]")


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session):
    """Everything: unit, contracts, properties, statistical, reference, doctests."""
    install(session, "test")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def doctest(session):
    """The examples in the docstrings."""
    install(session, "test")
    session.run("pytest", "src", *session.posargs)


@nox.session
def reference(session):
    """Numbers of other programs and of the paper; KGROUPS_REFERENCE names the folder of data."""
    install(session, "test")
    session.run("pytest", "-m", "reference", "-rs", "tests", *session.posargs, env=FULL)


@nox.session
def nojit(session):
    """The compiled loops as plain Python: real tracebacks, real coverage, real index checks."""
    install(session, "test")
    session.run("pytest", "-m", "nojit", "tests", *session.posargs, env={"NUMBA_DISABLE_JIT": "1"})


@nox.session
def sanitize(session):
    """The loops in C++ with every address and every undefined operation checked."""
    install(session, "test")
    rooms = ("native", "contract", "solvers", "gram", "semimetrics", "certificate")
    tests = session.posargs or [f"tests/{room}" for room in rooms]
    session.run(".ci/sanitize", *tests, external=True)


@nox.session
def lint(session):
    """Style, and the contract that a layer imports only from those below it."""
    install(session, "dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports")


@nox.session
def types(session):
    """Strict types."""
    install(session, "dev")
    session.run("mypy")


@nox.session
def bench(session):
    """Times, memory and quality of this commit; ``asv run`` and ``asv compare`` take others."""
    install(session, "test,bench")
    session.chdir("benchmarks")
    session.run("asv", "machine", "--yes")
    session.run("asv", "run", "--python=same", *session.posargs)


@nox.session
@nox.parametrize("name", COMPARISONS)
def compare(session, name):
    """One comparison with other programs, up to hours; KGROUPS_DATA names the folder of data."""
    install(session, "test")
    session.run("python", "-m", f"comparisons.{name}", *session.posargs)


@nox.session
def hunt(session):
    """Random problems against plain definitions, for an hour; keeps docs/reliability.md."""
    install(session, "test")
    arguments = session.posargs or ["--fits", "100000", "--graphs", "20000", "--record"]
    session.run("python", "-m", "benchmarks.hunt", "--files", *arguments)


@nox.session
def full(session):
    """Everything that takes long, and code compiled for other processors."""
    install(session, "test")
    session.run("pytest", "-n", "auto", *session.posargs, env=FULL)
    session.run("python", "-m", "benchmarks.cpu_targets")
