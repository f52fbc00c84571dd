"""The pattern agent: what it reads, when it acts, and what it scores."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from actmem.week.agents import find_agent, patterns
from actmem.week.agents.keyword import Keyword
from actmem.week.agents.patterns import Trigger
from actmem.week.agents.trust import NEEDED, Trust
from actmem.week.make import Knobs, make_week
from actmem.week.obligations import WeekPlan, prepare
from actmem.week.play import Acted, Asked, WeekEvent, play
from actmem.week.pmbench import load_any
from actmem.week.replay import rows_of
from actmem.week.results import rates
from actmem.week.scenario import Scenario
from actmem.week.score import score
from actmem.week.world import Act, MenuItem, Observation, Query, Reply, World

RELEASED = Path(__file__).parents[4] / "shared" / "reference" / "pmbench-v9" / "week.json"


class Moment(NamedTuple):
    """One step as a test tells it."""

    time: str
    text: str = "A tram goes by."
    messages: dict[str, str] = {}  # noqa: RUF012  (never changed)
    menu: tuple[str, ...] = ()


class Stage:
    """Shows moments to the agent as a world would: what is done on time leaves the menu."""

    def __init__(self, *channels: str) -> None:
        self.agent = Keyword()
        self.channels = ("clock", *channels)

    def day(
        self,
        name: str,
        opening: tuple[str, ...],
        moments: list[Moment],
        menu: tuple[str, ...] = (),
        done: tuple[str, ...] = (),
    ) -> list[list[str]]:
        """Return what was chosen at each moment; actions in ``done`` leave the menu when chosen."""
        gone: set[str] = set()
        chosen = []
        for number, moment in enumerate(moments):
            texts = [text for text in (*menu, *moment.menu) if text not in gone]
            items = {f"task_{n}": text for n, text in enumerate(texts)}
            observation = Observation(
                day=name, first=number == 0, opening=opening if number == 0 else (),
                text=moment.text, options=("a", "b", "c"),
                menu=tuple(MenuItem(*item) for item in items.items()), channels=self.channels,
            )  # fmt: skip
            replies: list[Reply] = []
            while isinstance(decision := self._decide(observation, replies), Query):
                answer = (
                    f"Time {moment.time} | Stopwatch: 5 min"
                    if decision.channel == "clock"
                    else moment.messages.get(decision.channel, "(no updates)")
                )
                replies.append(Reply(decision.channel, f"State [{decision.channel}]: {answer}"))
            acted = [items[handle] for handle in decision.handles]
            gone |= set(acted) & set(done)
            chosen.append(acted)
        return chosen

    def _decide(self, observation: Observation, replies: list[Reply]) -> Query | Act:
        return self.agent.decide(
            Observation(
                day=observation.day,
                first=observation.first,
                opening=observation.opening,
                text=observation.text,
                options=observation.options,
                menu=observation.menu,
                channels=observation.channels,
                replies=tuple(replies),
            )
        )


def _at(*times: str, **texts: str) -> list[Moment]:
    """Return moments at these times; a keyword ``t0915`` gives the text of 09:15."""
    return [
        Moment(time, texts.get(f"t{time.replace(':', '')}", "A tram goes by.")) for time in times
    ]


def _play(scenario: Scenario) -> tuple[WeekPlan, list[WeekEvent]]:
    plan = prepare(scenario)
    events: list[WeekEvent] = []
    footer = play(find_agent("keyword").make(0, plan), World(plan), events.append)
    assert footer.status == "complete"
    return plan, events


CLOCK_DAY = ("08:00", "09:15", "10:30", "11:00")


def test_acts_when_the_clock_shows_the_time_and_not_before() -> None:
    opening = ("To do:", "- Polish the bell at a quarter past nine in the morning.")
    acts = Stage().day(
        "Monday", opening, _at(*CLOCK_DAY), ("Polish the bell.",), ("Polish the bell.",)
    )
    assert acts == [[], ["Polish the bell."], [], []]


def test_a_time_before_the_hour_makes_no_sentence_depend_on_the_one_before() -> None:
    opening = ("Oil the gate at 9:15. It has to be at ten minutes before eleven in the morning that you polish the bell.",)  # fmt: skip
    menu = ("Polish the bell.", "Oil the gate.")
    acts = Stage().day("Monday", opening, _at("09:15", "10:50"), menu)
    assert acts == [["Oil the gate."], ["Polish the bell."]]


def test_acts_within_a_window_until_it_is_done() -> None:
    opening = ("Polish the bell some time between 9:00 and 10:45.",)
    stage = Stage()
    acts = stage.day("Monday", opening, _at(*CLOCK_DAY), ("Polish the bell.",))
    assert acts == [[], ["Polish the bell."], ["Polish the bell."], []]


@pytest.mark.parametrize(
    ("notice", "expected"),
    [
        ("There is no need to polish the bell.", []),
        ("Polishing the bell is called off.", []),
        ("Your entry for 9:15 is called off.", []),
        ("Polish the bell at 10:30 instead.", [2]),
        ("The one at 9:15 has moved to 11:00.", [3]),
        ("You mean to polish the bell once the street is quiet.", [1]),
    ],
)
def test_notices_cancel_and_reschedule_and_reminders_do_not(
    notice: str, expected: list[int]
) -> None:
    opening = ("To do:", "- Polish the bell at 9:15.")
    acts = Stage().day("Monday", opening, _at(*CLOCK_DAY, t0800=notice), ("Polish the bell.",))
    assert [number for number, chosen in enumerate(acts) if chosen] == expected


def test_a_note_for_a_later_day_waits_for_it_and_can_be_withdrawn() -> None:
    stage = Stage()
    menu = ("Polish the bell.", "Oil the gate.")
    note = "On Wednesday at 9:15, polish the bell. On Wednesday at 10:30, oil the gate."
    assert not any(stage.day("Monday", (), _at(*CLOCK_DAY, t0800=note)))
    withdrawal = "For Wednesday, forget the plan to oil the gate."
    assert not any(stage.day("Tuesday", (), _at(*CLOCK_DAY, t0800=withdrawal), menu))
    assert stage.day("Wednesday", (), _at(*CLOCK_DAY), menu) == [[], ["Polish the bell."], [], []]


def test_a_routine_is_told_once_and_kept_with_its_exception() -> None:
    stage = Stage()
    opening = (
        "To do:",
        "- Every day at 9:15, polish the bell.",
        "- From Monday to Wednesday, oil the gate every day at 10:30, but not on Tuesday.",
    )
    menu = ("Polish the bell.", "Oil the gate.")
    both = [[], ["Polish the bell."], ["Oil the gate."], []]
    assert stage.day("Monday", opening, _at(*CLOCK_DAY), menu) == both
    assert stage.day("Tuesday", (), _at(*CLOCK_DAY), menu) == [[], ["Polish the bell."], [], []]
    assert stage.day("Wednesday", (), _at(*CLOCK_DAY), menu) == both


def test_a_second_action_waits_until_the_first_has_left_the_menu() -> None:
    opening = ("Oil the gate at 10:30. That only makes sense if you managed to polish the bell before. Polish the bell at 9:15.",)  # fmt: skip
    menu = ("Polish the bell.", "Oil the gate.")
    assert Stage().day("Monday", opening, _at(*CLOCK_DAY), menu) == [
        [],
        ["Polish the bell."],
        [],
        [],
    ]
    done = Stage().day("Monday", opening, _at(*CLOCK_DAY), menu, done=menu)
    assert done == [[], ["Polish the bell."], ["Oil the gate."], []]


def test_a_number_past_the_threshold_is_a_cue_on_its_own_channel_only() -> None:
    opening = ("To do:", "- Polish the bell when the bank balance falls below $80.")
    messages = [
        {"bank_balance": "Account: $120.", "price_tracker": "Offer: $60."},
        {"bank_balance": "Account: $79.50.", "price_tracker": "Offer: $90."},
    ]
    moments = [Moment(f"{9 + n}:00", messages=given) for n, given in enumerate(messages)]
    acts = Stage("bank_balance", "price_tracker").day(
        "Monday", opening, moments, ("Polish the bell.",)
    )
    assert acts == [[], ["Polish the bell."]]


SIGHTS = {
    "Polish the bell.": "the copper lantern glows",
    "Oil the gate.": "a grey heron lands",
    "Count the spoons.": "somebody whistles outside",
    "Sharpen the pencils.": "snow covers every roof",
}


def test_stops_to_believe_in_words_that_return_when_acts_on_them_fail() -> None:
    opening = ("To do:", *(f"- {action[:-1]} when {sight}." for action, sight in SIGHTS.items()))
    menu = tuple(SIGHTS)
    moments = [
        Moment(f"{9 + number}:00", f"{sight.capitalize()}.")
        for number, sight in enumerate(SIGHTS.values())
    ]
    believing = Stage().day("Monday", opening, moments, menu, done=menu)
    assert believing == [[action] for action in menu]
    doubting = Stage().day("Monday", opening, moments, menu)
    assert [bool(chosen) for chosen in doubting] == [True, True, False, False]


def test_does_not_take_a_guess_about_the_future_for_the_event() -> None:
    stage = Stage()
    opening = ("To do:", "- Polish the bell when the copper lantern glows.")
    moments = [
        Moment("8:00", menu=("Count spoons.",)),
        Moment("9:00", menu=("Count forks.",)),  # the spoons are gone: lures are drawn anew
        Moment("10:00", "The copper lantern may glow later."),
        Moment("11:00", "The copper lantern glows."),
    ]
    acts = stage.day("Monday", opening, moments, ("Polish the bell.",))
    assert acts == [[], [], [], ["Polish the bell."]]


def test_asks_every_channel_once_a_step_and_passes_after_a_refusal() -> None:
    agent = Keyword()
    observation = Observation(
        day="Monday", first=True, text="A tram goes by.", options=("a", "b", "c"), menu=(),
        channels=("clock", "email"),
    )  # fmt: skip
    assert agent.decide(observation) == Query("clock")
    refused = Observation(
        day="Monday", first=True, text="A tram goes by.", options=("a", "b", "c"), menu=(),
        channels=("clock", "email"), error="no",
    )  # fmt: skip
    assert agent.decide(refused) == Act("A")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at five minutes to ten in the morning", Trigger(at=595)),
        ("from 9:00 until 9:40", Trigger(window=(540, 580))),
        ("no earlier than 9:40 and no later than 10:00", Trigger(window=(580, 600))),
    ],
)
def test_reads_times_and_windows(text: str, expected: Trigger) -> None:
    assert patterns.trigger_of(text) == expected


def test_finds_an_action_inflected_but_not_half_of_it() -> None:
    assert patterns.mention("They ask about paying the club dues.", "Pay the club dues.")
    assert patterns.mention("Dues are high.", "Pay the club dues.") is None
    longest = patterns.mentions("Pay the club dues.", ["Pay the club.", "Pay the club dues."])
    assert [action for action, _ in longest] == ["Pay the club dues."]


def test_knows_days_by_name_by_range_and_by_every() -> None:
    assert patterns.days_of("On Friday, sing.", "monday").named == {"friday"}
    assert patterns.days_of("Sing every day.", "monday").daily
    named = patterns.days_of("From Tuesday to Friday sing daily, not on Thursday.", "monday")
    assert named.named == {"tuesday", "wednesday", "friday"}
    assert not named.daily


def test_names_a_channel_by_its_best_word_and_all_of_equal_ones() -> None:
    channels = ["course_portal", "appointment_portal", "email"]
    assert patterns.channels_of("when the portal opens", channels) == channels[:2]
    assert patterns.channels_of("when the course portal opens", channels) == ["course_portal"]
    assert patterns.channels_of("when your inbox pings", channels) == ["email"]
    assert patterns.channels_of("when the goat bleats", channels) == []


def test_trust_follows_what_menus_tell() -> None:
    trust = Trust()
    assert trust.of("strong") > NEEDED
    for _ in range(2):
        trust.learn("strong", hit=False)
    assert trust.of("strong") < NEEDED
    trust.saw_menus({"Count spoons."}, {"Count forks."})
    assert trust.of("strong") > NEEDED
    assert trust.of("of no known kind") == 0


def test_plays_a_week_the_same_way_twice_and_polls_everything() -> None:
    week = make_week(31, Knobs(profile="full"))
    plan, events = _play(week)
    assert _play(week)[1] == events
    steps = sum(isinstance(event, Acted) for event in events)
    asked = [event.channel for event in events if isinstance(event, Asked)]
    assert {asked.count(name) for name in plan.scenario.state_channels} == {steps}


def test_gets_the_clock_right_on_our_weeks() -> None:
    plan, events = _play(make_week(32, Knobs(profile="full")))
    result = score(plan, rows_of(plan, events))
    timed = [day.by_type["time"] for day in result.per_day.values() if "time" in day.by_type]
    hits, total = sum(t["hit"] for t in timed), sum(t["total"] for t in timed)
    assert total > 20
    assert hits >= 0.9 * total


@pytest.mark.skipif(not RELEASED.is_file(), reason="the reference data are not beside the project")
def test_reaches_the_published_reference_of_such_an_agent_on_the_released_week() -> None:
    plan, events = _play(load_any(RELEASED))
    set_f1 = rates(score(plan, rows_of(plan, events)).summary).set_f1
    assert set_f1 is not None
    assert set_f1 >= 0.815
