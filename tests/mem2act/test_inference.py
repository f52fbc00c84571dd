from __future__ import annotations

import pytest

from actmem.mem2act.inference import CannotFollowError, infer

WORDS = (
    "40 volumes, two sheets each, on 23 May at half past six, a week later, 690 euros, two nights"
)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("reads: half past six", {"06:30", "18:30"}),
        ("reads: 23 May", {"--05-23"}),
        ("reads: volumes", set()),
        ("means: two sheets each = duplex", {"duplex"}),
        ('computes: "40" * "two"', {"80"}),
        ('computes: "690" / 4', {"172.5"}),
        ('computes: "40" - "two" + 1', {"39"}),
        ('computes: "40" / "two" * 3', {"60"}),
        ('computes: "two nights" + 1', {"3"}),
        ('computes: "23 May" - 1 day', {"--05-22"}),
        ('computes: "23 May" + 2 weeks', {"--06-06"}),
        ('computes: "23 May" + "a week later"', {"--05-30"}),
        ('computes: "23 May" - 144 days', {"--12-31"}),
        ('computes: "23 May" + 223 days', {"--01-01"}),
        ('computes: "half past six" - 45 minutes', {"05:45", "17:45"}),
        ('computes: "half past six" + 12 hours', {"18:30", "06:30"}),
    ],
)
def test_steps_give_values(step: str, expected: set[str]) -> None:
    assert infer(step, WORDS) == expected


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("reads: 24 May", "is not in the words quoted"),
        ("reads: ", "is not in the words quoted"),
        ("means: red = colour", "is not in the words quoted"),
        ("means: no equals sign", "is not in the words quoted"),
        ("guesses: 40", "neither reads, computes nor means"),
        ('computes: "41" * 2', "is not in the words quoted"),
        ('computes: "40" ** 2', "cannot be computed"),
        ("computes: ", "cannot be computed"),
        ('computes: "40" / 0', "has no result"),
        ('computes: "40" / 0 * 0', "has no result"),
        ('computes: "23 May" + 99999999999999 weeks', "has no result"),
        ('computes: "23 May" - 9999 days', "has no result"),
        ('computes: "40" + "volumes"', "is no number"),
        ('computes: "23 May" * 1 day', "neither adds nor takes away"),
        ('computes: "23 May" + 1 day + "two"', "is no span of time"),
    ],
)
def test_a_step_that_does_not_hold_says_why(step: str, says: str) -> None:
    with pytest.raises(CannotFollowError, match=says.replace("*", r"\*")):
        infer(step, WORDS)
