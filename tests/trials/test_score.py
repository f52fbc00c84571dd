"""Verdicts on hand-made courses of play."""

import msgspec
import pytest

from actmem.errors import ActionError, InputError
from actmem.trials.score import TrialResult, score
from actmem.trials.stats import detection, rates, wilson
from actmem.trials.trial import Intended, Trial, Trigger, Watch
from actmem.trials.world import Episode
from actmem.trials.worlds.memory_game import MemoryGameSetup
from actmem.trials.worlds.scheduling import SchedulingSetup
from actmem.trials.worlds.shopping import ShoppingSetup

OFFERS = ("soap", "coffee", "tea")


def trial(trigger: Trigger, *, go: bool = True, entries: tuple[tuple[int, str], ...] = ()) -> Trial:
    return Trial(
        id="A/shopping/time/001", subset="A", kind="time", interference="none",
        specificity="exact", go=go, delay=2, pattern="at", steps=6,
        intention="At 19:10, add 'coffee' to the cart.", trigger=trigger,
        intended=Intended("add_item", ("coffee",)),
        setup=ShoppingSetup(1140, 5, (OFFERS,) * 6, ((0, "soap"), *entries), ("",) * 6),
    )  # fmt: skip


AT = trial(Trigger(at=1150))  # 19:10, the third step
SOAP, COFFEE, TEA, WAIT = "add_item('soap')", "add_item('coffee')", "add_item('tea')", "wait()"


def verdict(result: TrialResult) -> set[str]:
    names = ("passed", "hit", "miss", "late", "false_alarm", "wrong_content", "slip")
    return {name for name in names if getattr(result, name)}


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([SOAP, WAIT, COFFEE], {"passed", "hit"}),
        ([SOAP, WAIT, "ADD"], {"miss"}),
        ([SOAP, WAIT, "add_item('Coffee')"], {"passed", "hit"}),
        ([SOAP], {"miss"}),
        ([WAIT, WAIT, COFFEE], {"hit"}),  # the ongoing goal is not met
        ([SOAP, WAIT, WAIT, COFFEE], {"late"}),
        ([SOAP, COFFEE], {"false_alarm", "miss"}),
        ([SOAP, COFFEE, COFFEE], {"false_alarm", "hit"}),
        ([SOAP, WAIT, COFFEE, COFFEE], {"false_alarm", "hit"}),
        ([SOAP, WAIT, TEA], {"false_alarm", "wrong_content", "miss"}),
        ([SOAP, TEA, COFFEE], {"slip", "hit"}),  # before it is due, tea has nothing to do with it
        ([SOAP, WAIT, COFFEE, SOAP], {"slip", "hit"}),  # bought again: no matter of the intention
        ([SOAP, "add_item('gold')", COFFEE], {"passed", "hit"}),  # refused: nothing happened
        ([SOAP, WAIT, "intend('x')", "submit('abandoned')", COFFEE], {"passed", "hit"}),
    ],
)
def test_verdicts(replies: list[str], expected: set[str]) -> None:
    assert verdict(score(AT, replies)) == expected


def test_no_go_passes_untouched_only() -> None:
    never = trial(Trigger(at=1151), go=False)
    assert verdict(score(never, [SOAP])) == {"passed"}
    assert verdict(score(never, [])) == set()
    assert verdict(score(never, [SOAP, WAIT, COFFEE])) == {"false_alarm"}
    assert verdict(score(never, [SOAP, SOAP])) == {"slip"}


def test_another_kind_of_act_is_a_slip() -> None:
    office = msgspec.structs.replace(
        AT, intended=Intended("send_email", ("Ana", "draft")),
        setup=SchedulingSetup(
            1140, 5, ((0, "send_email", ("Bo", "news")), (4, "send_email", ("Ed", "plan"))), (), ("",) * 6
        ),
    )  # fmt: skip
    news, plan = "send_email('Bo', 'news')", "send_email('Ed', 'plan')"
    draft, other = "send_email('Ana', 'draft')", "send_email('Ana', 'other')"
    meeting = "add_meeting('Standup', '09:30')"
    assert verdict(score(office, [news, WAIT, draft, WAIT, plan])) == {"passed", "hit"}
    assert verdict(score(office, [news, meeting, draft, WAIT, plan])) == {"hit", "slip"}
    assert verdict(score(office, [news, plan, draft, WAIT, plan])) == {"hit", "slip"}  # too early
    wrong = {"hit", "false_alarm", "wrong_content"}
    assert verdict(score(office, [news, other, draft, WAIT, plan])) == wrong


def test_a_botched_request_is_a_slip_whatever_the_intention_asks_for() -> None:
    for intended in (
        Intended("send_email", ("Ana", "draft")),
        Intended("add_meeting", ("Fair", "10:00")),
    ):
        office = msgspec.structs.replace(
            AT, intended=intended,
            setup=SchedulingSetup(
                1140, 5, ((0, "add_meeting", ("Standup", "09:30")),), (), ("",) * 6
            ),
        )  # fmt: skip
        right = str(intended.call(AT.trigger, ()))
        botched = ["add_meeting('Standup', '09:00')", "add_meeting('Standup', '09:30')", right]
        assert verdict(score(office, botched)) == {"hit", "slip"}
        assert verdict(score(office, [botched[1], WAIT, right])) == {"passed", "hit"}


def test_where_the_condition_never_came_nothing_is_missed_and_nothing_passed() -> None:
    table = msgspec.structs.replace(
        trial(Trigger(names=("fox",), before=1)),
        intended=Intended("ring", ("blue",)),
        setup=MemoryGameSetup(("hen", "hen", "fox", "fox"), ("",) * 6),
    )
    flips = [f"flip({place})" for place in (1, 2, 3, 4)]  # the fox after the first round
    assert score(table, flips).due == ()
    assert verdict(score(table, flips)) == set()  # to go out of the cue's way must not pay
    assert verdict(score(table, [*flips[:2], "ring('blue')", *flips[2:]])) == {"false_alarm"}
    assert verdict(score(table, flips[:2])) == {"miss"}  # goals are left: no excuse


def test_what_an_open_goal_demands_is_no_false_alarm_and_the_intention_needs_one_more() -> None:
    same = trial(Trigger(at=1150), entries=((1, "coffee"), (3, "coffee")))
    assert verdict(score(same, [SOAP, COFFEE, COFFEE, COFFEE])) == {"passed", "hit"}
    assert verdict(score(same, [SOAP, COFFEE, WAIT, COFFEE])) == {"miss"}
    # Bought for the list at the due step: the intention still wants one more.
    assert verdict(score(same, [SOAP, WAIT, COFFEE, COFFEE])) == {"miss"}
    assert verdict(score(same, [SOAP, COFFEE, WAIT, COFFEE, COFFEE])) == {"late"}


def test_only_the_counted_run_is_due() -> None:
    class View:
        def __init__(self, *shown: str) -> None:
            self.time = 0
            self.shown = shown

    watch = Watch(Trigger(names=("fox",), nth=2))
    seen = [watch.see(View(*s)) for s in (("fox",), ("fox",), (), ("ape", "fox"), (), ("fox",))]
    assert seen == [False, False, False, True, False, False]
    bounded = Watch(Trigger(names=("fox",), after=1))
    assert not bounded.see(View("fox"))


def test_a_record_of_another_trial_is_an_error() -> None:
    with pytest.raises(InputError, match="more replies than the 6 steps"):
        score(AT, [WAIT] * 7)
    with pytest.raises(InputError, match="reply 2 is of step 0, not 1"):
        score(AT, [WAIT, WAIT], [0, 0])
    episode = Episode(AT)
    for _ in range(6):
        episode.apply(WAIT)
    with pytest.raises(ActionError):
        episode.apply(WAIT)


def test_encoding_is_read_from_the_last_statement_and_changes_no_verdict() -> None:
    assert score(AT, [SOAP]).encoded is None
    assert score(AT, ["intend('coffee to the cart at 19:10')", SOAP]).encoded is True
    assert score(AT, ["intend('be careful')", SOAP]).encoded is False


def test_wilson_and_detection() -> None:
    low, high = wilson(8, 10) or (0, 0)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)  # Wilson 1927, worked by hand
    assert wilson(0, 0) is None
    assert detection(1, 1, 0, 0) is None
    d_prime, criterion = detection(10, 20, 10, 20) or (9, 9)
    assert d_prime == pytest.approx(0)
    assert criterion == pytest.approx(0)
    assert (detection(20, 20, 0, 20) or (0, 0))[0] == pytest.approx(2 * 1.9808, abs=1e-3)


def test_repeats_make_no_interval_narrower() -> None:
    hit, miss = score(AT, [SOAP, WAIT, COFFEE]), score(AT, [SOAP])
    other = msgspec.structs.replace(AT, id="A/shopping/time/002")
    pooled = rates([*[(AT, hit)] * 50, *[(other, hit), (other, miss)] * 25])
    assert (pooled.trials, pooled.passed, pooled.accuracy) == (100, 75, 0.75)
    assert pooled.interval == wilson(1.5, 2)


def test_rates_pool_go_and_no_go_as_they_should() -> None:
    never = trial(Trigger(at=1151), go=False)
    plays = [(AT, [SOAP, WAIT, COFFEE]), (AT, [SOAP]), (AT, [SOAP, WAIT, WAIT, COFFEE])]
    plays += [(never, [SOAP]), (never, [SOAP, COFFEE])]
    pooled = rates((t, score(t, replies)) for t, replies in plays)
    assert (pooled.trials, pooled.go, pooled.passed) == (5, 3, 2)
    assert pooled.miss_rate == pytest.approx(1 / 3)
    assert pooled.late_rate == pytest.approx(1 / 3)
    assert pooled.false_alarm_rate == pytest.approx(1 / 5)
    assert pooled.no_go_false_alarm_rate == pytest.approx(1 / 2)
