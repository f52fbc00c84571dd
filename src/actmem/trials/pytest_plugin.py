"""The trials suite as pytest tests: one test a trial, for prospective memory in one's own CI.

``pytest --actmem trials --actmem-agent my_agent.py:Agent --actmem-subset A``. Without ``--actmem``
nothing is collected, and nothing but this file is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from actmem.trials.baseline import Baseline, Passes
    from actmem.trials.trial import Trial

_RESULT = "actmem"
"""Key under which a report carries (trial id, digest, passed, of) to the controlling process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("actmem", "ActMem: unit tests of an agent's prospective memory")
    group.addoption("--actmem", choices=["trials"], help="Collect this suite.")
    group.addoption("--actmem-agent", metavar="NAME",
                    help="The agent to test: FILE.py:Class or cmd:PROGRAM.")  # fmt: skip
    group.addoption("--actmem-subset", metavar="A,B,C", help="Subsets to collect. [default: all]")
    group.addoption("--actmem-trial", action="append", default=[], metavar="ID",
                    help="Collect this trial; repeat it.")  # fmt: skip
    group.addoption("--actmem-repeat", type=int, default=1, metavar="N",
                    help="Play each trial N times; all must pass. [default: 1]")  # fmt: skip
    group.addoption("--actmem-baseline", metavar="FILE",
                    help="Fail only where the agent passes less often than in this file.")  # fmt: skip
    group.addoption("--actmem-write-baseline", metavar="FILE",
                    help="Write how often each trial was passed.")  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Take part only where the option is given."""
    if config.getoption("--actmem"):
        config.pluginmanager.register(_Trials(config), "actmem-trials")


class TrialFailedError(Exception):
    """A trial was not passed; the text says why in three lines."""


class TrialItem(pytest.Item):
    """One trial as a test."""

    def __init__(self, *, plan: _Trials, trial: Trial, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.plan = plan
        self.trial = trial

    def runtest(self) -> None:
        """Play the trial as often as asked; fail with the first play that did not pass."""
        from actmem.trials.explain import explain

        passed, wrong = 0, list[str | BaseException]()
        for number in range(self.plan.repeat):
            try:
                replies, result = self.plan.play(self.trial, number)
            except (Exception, SystemExit) as error:  # what raised has not passed
                wrong.append(error)
                continue
            passed += result.passed
            if not result.passed:
                wrong.append(explain(self.trial, replies, result))
        record = (self.trial.id, self.trial.digest(), passed, self.plan.repeat)
        self.user_properties.append((_RESULT, record))
        if not wrong:
            return
        first = wrong[0]
        text = first if isinstance(first, str) else f"{type(first).__name__}: {first}"
        if self.plan.repeat > 1:
            text += f"\npassed:   {passed} of {self.plan.repeat} times"
        known = self.plan.baseline
        if known is not None and not known.regressed(self.trial, passed, self.plan.repeat):
            pytest.xfail(f"no better in the baseline\n{text}")
        if isinstance(first, BaseException):
            raise first
        raise TrialFailedError(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a failed trial by its text alone; what the agent raised with its traceback."""
        from actmem.errors import ActMemError
        from actmem.process import ProcessError

        if isinstance(excinfo.value, TrialFailedError | ActMemError | ProcessError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test by the trial's id."""
        return self.path, None, self.trial.id


class _Trials:
    """What a session with ``--actmem trials`` does."""

    def __init__(self, config: pytest.Config) -> None:
        from actmem.errors import ActMemError
        from actmem.process import FORM
        from actmem.trials.agents import find_agent
        from actmem.trials.baseline import read, refuse_unwritable
        from actmem.trials.select import choose

        self._config = config
        self.repeat: int = config.getoption("--actmem-repeat")
        name = config.getoption("--actmem-agent")
        if not name:
            raise pytest.UsageError("--actmem needs --actmem-agent FILE.py:Class or cmd:PROGRAM")
        if self.repeat < 1:
            raise pytest.UsageError("--actmem-repeat must be 1 or more")
        file, colon, class_name = name.rpartition(":")
        in_file = colon and not name.startswith(FORM)
        here = config.invocation_params.dir
        baseline = config.getoption("--actmem-baseline")
        written = config.getoption("--actmem-write-baseline")
        self._written: Path | None = here / written if written else None
        try:
            self.agent = find_agent(f"{here / file}:{class_name}" if in_file else name)
            self.trials = choose(
                config.getoption("--actmem-subset"),
                config.getoption("--actmem-trial"),
                prefix="--actmem-",
            )
            self.baseline: Baseline | None = (
                read(here / baseline, self.trials) if baseline else None
            )
            if self._written is not None:
                refuse_unwritable(self._written)
        except ActMemError as error:
            raise pytest.UsageError(str(error)) from None
        self._passes: dict[str, Passes] = {}

    def play(self, trial: Trial, number: int) -> tuple[list[str], Any]:
        """Play and score once, with a fresh agent."""
        from actmem.run.agents import close_agent
        from actmem.trials.agents.agent import play
        from actmem.trials.score import score

        agent = self.agent.make(number, trial)
        try:
            replies = play(trial, agent)
        finally:
            close_agent(agent)
        return replies, score(trial, replies)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Add the trials behind the tests that were collected, so that ``-k`` selects them too."""
        added = list(self._items(session))
        # The terminal counts what collection reports.
        report = pytest.CollectReport("actmem", "passed", None, [*added])
        session.config.hook.pytest_collectreport(report=report)
        items.extend(added)

    def _items(self, session: pytest.Session) -> Iterator[pytest.Item]:
        for trial in self.trials:
            yield TrialItem.from_parent(
                session, name=trial.id, nodeid=f"actmem::{trial.id}", plan=self, trial=trial
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how often each trial was passed."""
        from actmem.trials.baseline import Passes

        for key, value in report.user_properties:
            if key == _RESULT and isinstance(value, tuple | list):
                trial, digest, passed, of = value
                self._passes[trial] = Passes(digest, passed, of)

    def pytest_sessionfinish(self) -> None:
        """Write what was played into the baseline, in the controlling process."""
        if self._written is None or not self._passes or hasattr(self._config, "workerinput"):
            return
        from actmem.errors import ActMemError
        from actmem.trials.baseline import write

        try:
            write(self._written, self._passes)
        except ActMemError as error:
            raise pytest.exit.Exception(str(error), pytest.ExitCode.INTERNAL_ERROR) from None
