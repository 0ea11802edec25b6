"""The house: floors, families and the mirror of src/ by tests/.

A file imports only from floors below its own, so that every part can be read, tested and used
without the parts above it, and no circle can form. A member of a family never imports its sibling,
so that adding or deleting one is an affair of one file.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "mddag"

FLOORS = [
    {"_user_warning"},
    {
        "_checks",
        "_core",
        "_read_only",
        "_whole_file",
        "callbacks",
        "categories",
        "doubts",
        "holdout",
        "parameters",
        "progress",
        "sampling",
    },
    {
        "exploration",
        "features",
        "interruption",
        "losses",
        "nodes",
        "split",
        "summary",
        "votes",
        "weights",
    },
    {"covariances"},
    {"columns", "door", "fixed_point", "layout", "ordering", "partial_sums", "revision", "row"},
    {"arrangement", "ensemble", "grid"},
    {
        "adapters",
        "bounds",
        "calibration",
        "class_levels",
        "condensation",
        "learners",
        "policy",
        "trace",
    },
    {"cost_model"},
    {"executor"},
    {"curve", "dag", "factor", "mdp", "prediction", "values"},
    {"boosting", "exit_calibration"},
    {"adaboost", "datasets", "model_file", "plotting", "solvers"},
    {"harm", "predictor", "source"},
    {"evidence", "export", "problem"},
    {"serving"},
    {"estimator"},
    {"classifier", "regressor"},
    {"ladder", "tradeoff"},
    {"promise"},
    {"measurement"},
    {"knobs"},
    {"__init__"},
]
FAMILIES = {
    "adapters": "adapter",
    "learners": "learner",
    "losses": "loss",
    "ordering": "order",
    "solvers": "solver",
    "values": "value",
}

MODULES = sorted(p for p in PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    """The file or folder directly below the package that `path` belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def floor(name: str) -> int:
    return next(i for i, names in enumerate(FLOORS) if name in names)


def imported(path: Path) -> set[str]:
    """Dotted names below mddag that a file imports, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("mddag"):
            inside = node.module.removeprefix("mddag").lstrip(".")
            names |= {inside} if inside else {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            names |= {a.name[6:] for a in node.names if a.name.startswith("mddag.")}
    return names


def test_every_room_has_a_floor():
    rooms = {room(path) for path in MODULES} | {"_core"}
    assert rooms <= set().union(*FLOORS), "give the new room a floor in this file"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_downwards(path):
    for name in imported(path):
        target = name.split(".")[0]
        if target == room(path):
            continue
        assert floor(target) < floor(room(path)), f"{path.name} reaches up or sideways to {name}"


@pytest.mark.parametrize("family", FAMILIES)
def test_members_do_not_import_siblings(family):
    for path in (PACKAGE / family).glob("*.py"):
        if path.name.startswith("_") or path.name == "portfolio.py":  # which chooses among them
            continue
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != family or len(parts) == 1:
                continue
            shared = parts[1] == FAMILIES[family] or parts[1].startswith("_")
            assert shared, f"{path.name} imports its sibling {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_tests_mirror_the_package(path):
    inside = path.relative_to(PACKAGE)
    if path.name == "__init__.py" or path.name.startswith("_"):
        return
    assert (ROOT / "tests" / inside.parent / f"test_{path.name}").exists()


def test_no_room_without_an_idea():
    assert not {p.stem for p in MODULES} & {"utils", "common", "base", "helpers", "misc"}
