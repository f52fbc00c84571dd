"""Import stays cheap: budgets of the design, measured in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from statistics import median

import pytest

HEAVY = ("openai", "inspect_ai", "numpy", "rich", "scipy", "xllamacpp")


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = fresh("import sys, actmem; print(*sys.modules)").split()
    assert not [name for name in HEAVY if name in loaded]


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
        f"import time; start = time.perf_counter(); exec({code!r}); "
        "import sys; print(time.perf_counter() - start, file=sys.stderr)"
    )
    seconds = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", timed], capture_output=True, text=True, check=True
        )
        seconds.append(float(done.stderr))
    assert median(seconds) <= 2 * budget  # twice: other work may share the machine


def test_the_public_names_are_there() -> None:
    import actmem

    for name in actmem.__all__:
        assert getattr(actmem, name) is not None
    assert set(actmem.__all__) <= set(dir(actmem))
    with pytest.raises(AttributeError):
        actmem.nothing  # noqa: B018
