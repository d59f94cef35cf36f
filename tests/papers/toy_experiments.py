"""Small made-up experiments, in a module that worker processes can import."""

from dataclasses import replace
from pathlib import Path

from kgroups_papers.experiment import Case, Experiment, Method
from kgroups_papers.role import Role

METHODS = (
    Method(key="level", title="level"),
    Method(key="noise", title="noise"),
    Method(key="mended", title="noise, mended", role=Role.CORRECTED),
    Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
)

#: As a file of published numbers has them.
PUBLISHED = {
    "source": "nowhere",
    "runs": 16,
    "digits": 2,
    "values": {
        "level": {"1": 0.25, "2": 0.5, "3": 0.9},
        "noise": {"1": 0.0, "2": [0.0, 4.0], "3": 9.0},
    },
    "discrepancies": [{"methods": ["noise"], "cases": ["3"], "cause": "Nine is not zero."}],
    "trades": [{"methods": ["default"], "cases": ["3"], "cause": "Speed for height."}],
}


def run(parameters, rng, data):
    """Case 1 is .25, case 2 .5, and so on; the noise has deviation 1."""
    noise = float(rng.normal())
    return {
        "level": {"accuracy": 0.25 * parameters},
        "noise": {"accuracy": noise},
        "mended": {"accuracy": noise + 1},
        "default": {"accuracy": 0.25 * parameters},
    }


def run_defaults(parameters, rng, data):
    """As before, with more defaults that are as high as the level."""
    found = run(parameters, rng, data)
    return {**found, **dict.fromkeys(("noisy", "unknown", "changing"), found["level"])}


def draw(outcome):
    """A picture."""
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([outcome.estimate(case.key, "level").mean for case in outcome.cases])
    return figure


TOY = Experiment(
    name="toy",
    other_names=("toy-figure",),
    title="Levels and noise",
    source="no paper",
    about="Levels are what they are, noise is normal.",
    cases=tuple(Case(key=str(c), parameters=c, x=float(c)) for c in (1, 2, 3)),
    methods=METHODS,
    run=run,
    draw=draw,
    n_runs=40,
    quick_runs=6,
    quick_cases=("1", "2"),
    axis="D",
    default_against="level",
    notes=("Nothing of it is true.",),
)

#: The same without an axis: no curve, so that the defaults are judged number by number.
FLAT = replace(TOY, cases=tuple(replace(case, x=None) for case in TOY.cases))


def run_counted(parameters, rng, data):
    """Leaves a byte in a file for every run; fails where the file is as long as allowed."""
    path, most = parameters
    done = len(Path(path).read_bytes()) if Path(path).exists() else 0
    if done >= most:
        raise KeyboardInterrupt
    with Path(path).open("ab") as stream:
        stream.write(b".")
    return {"level": {"accuracy": float(rng.uniform())}}


def counted(path, most=10**9, n_runs=10):
    """An experiment that knows how often it ran."""
    return Experiment(
        name="counted",
        title="Counted runs",
        source="no paper",
        about="A byte a run.",
        cases=(Case(key="only", parameters=(str(path), most)),),
        methods=(Method(key="level", title="level"),),
        run=run_counted,
        draw=draw,
        n_runs=n_runs,
        quick_runs=2,
    )


def run_on_data(parameters, rng, data):
    """Classes of a data set."""
    return {"level": {"accuracy": float(data.table(parameters).n_clusters)}}


def on_data(*names, name="sets"):
    """An experiment on tables."""
    return Experiment(
        name=name,
        title="Data sets",
        source="no paper",
        about="How many classes there are.",
        cases=tuple(Case(key=n, parameters=n, data=n) for n in names),
        methods=(Method(key="level", title="level"),),
        run=run_on_data,
        draw=lambda outcome: draw_nothing(),
        n_runs=1,
        quick_runs=1,
        axis="data set",
    )


def draw_nothing():
    """An empty picture."""
    from matplotlib.figure import Figure

    return Figure()
