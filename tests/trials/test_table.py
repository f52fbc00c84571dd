"""The report in text."""

from actmem.trials.results import Played, result
from actmem.trials.score import score
from actmem.trials.table import lines, published
from actmem.trials.trial import Trial


def test_rows_below_full_coverage_are_marked(small: list[Trial]) -> None:
    played = [
        Played(trial=t, status="failed" if n else "complete", error="", result=score(t, ()))
        for n, t in enumerate(small)
    ]
    text = "\n".join(lines([result("mine", "", played)]))
    assert "1/4" in text
    assert "INCOMPLETE, not ranked" in text


def test_published_tables_are_those_of_the_source() -> None:
    text = "\n".join(published())
    assert "no-go trials are ours alone" in text
    assert text.count("reflexion-memory") == 3
    assert len(text.splitlines()) == 2 + 18 + 2 + 4
    gains = [float(line.split()[-1]) for line in text.splitlines()[-4:]]
    assert gains == [4.1, 4.7, 4.1, 3.6]
