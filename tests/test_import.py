"""Import stays cheap: budgets of the design, measured in fresh processes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

import actmem

HEAVY = ("openai", "inspect_ai", "numpy", "rich", "scipy", "xllamacpp")


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = fresh("import sys, actmem; print(*sys.modules)").split()
    assert not [name for name in HEAVY if name in loaded]


def test_only_the_tasks_of_inspect_import_inspect() -> None:
    package = Path(actmem.__file__).parent
    importing = re.compile(r"^\s*(?:from|import) inspect_ai", re.MULTILINE)
    found = {p for p in package.rglob("*.py") if importing.search(p.read_text("utf-8"))}
    assert {path.parent.name for path in found} == {"inspect_tasks"}


RANKS = {"cli": 5, "report": 4, "inspect_tasks": 4, "week": 3, "trials": 3, "mem2act": 3,
         "run": 2, "memory": 2, "models": 1}  # fmt: skip
"""How high a part stands; a module imports its own part and lower ones. What is not named is 0."""


def test_imports_point_one_way() -> None:
    package = Path(actmem.__file__).parent
    upwards = []
    for path in package.rglob("*.py"):
        inner = path.relative_to(package).parts
        if len(inner) == 1 and inner[0] in ("__init__.py", "__main__.py"):
            continue  # the public names and the command itself
        own = inner[0] if len(inner) > 1 else ""
        for module in imported(path):
            part = module.split(".")[1] if module.count(".") else ""
            if part != own and part in RANKS and RANKS[part] >= RANKS.get(own, 0):
                upwards.append(f"{'/'.join(inner)} imports {module}")
    assert upwards == []


def imported(path: Path) -> list[str]:
    """Return the modules of ours that a file imports, inside of functions too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name.split(".")[0] == "actmem"]


def test_the_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom actmem.cli import run_cli\n"
        "assert run_cli(['--help']) == 0\nprint('LOADED', *sys.modules)"
    )
    loaded = fresh(code).split("LOADED")[1].split()
    assert not [name for name in HEAVY if name in loaded]


@pytest.mark.parametrize(
    ("code", "budget"),
    [("import actmem", 0.150), ("from actmem.cli import run_cli; run_cli(['--help'])", 0.300)],
)
def test_import_and_help_stay_in_their_budgets(code: str, budget: float) -> None:
    timed = (
        f"import time; start = time.process_time(); exec({code!r}); "
        "import sys; print(time.process_time() - start, file=sys.stderr)"
    )
    seconds = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", timed], capture_output=True, text=True, check=True
        )
        seconds.append(float(done.stderr))
    assert median(seconds) <= budget  # of the processor's time: other work may share the machine


def test_the_public_names_are_there() -> None:
    for name in actmem.__all__:
        assert getattr(actmem, name) is not None
    assert set(actmem.__all__) <= set(dir(actmem))
    with pytest.raises(AttributeError):
        actmem.nothing  # noqa: B018


def test_the_public_names_are_what_they_are_typed_as() -> None:
    """The lazy table, ``__all__`` and what type checkers are told name the same things."""
    from importlib import import_module

    assert actmem.__all__ == sorted(actmem._PUBLIC)
    tree = ast.parse(Path(actmem.__file__).read_text("utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {
        alias.asname: (node.module, alias.name)
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == actmem._PUBLIC
    for name, (module, attribute) in actmem._PUBLIC.items():
        assert getattr(actmem, name) is getattr(import_module(module), attribute)


def test_only_what_is_named_is_loaded() -> None:
    loaded = fresh("import sys, actmem; actmem.InputError; print(*sys.modules)").split()
    assert "actmem.errors" in loaded
    assert not [name for name in loaded if name.startswith("actmem.week")]
    assert fresh("from actmem import *; print(World.__name__)") == "World\n"


def test_a_week_can_be_played_with_the_public_names_alone() -> None:
    week = actmem.make_week(7, actmem.Knobs(days=1))
    assert actmem.check_week(week) == []
    plan = actmem.prepare(week)
    world, rows = actmem.World(plan), []
    seen: actmem.Observation | None = world.reset()
    while seen is not None:
        rows.append(actmem.Row(*world.place))
        seen = world.act(actmem.Act("A").choice)
    counts = actmem.score(plan, rows)
    assert counts.steps == len(rows)
    assert counts.summary["set_fn"] > counts.summary["set_tp"] == 0
    with pytest.raises(actmem.ActMemError):
        actmem.score(plan, rows[::-1])
