"""Each number of the tables of weeks, worked out by hand."""

from __future__ import annotations

import pytest

from actmem.models.chat import Usage
from actmem.report.week_causes import costs_table, evidence_table
from actmem.report.week_data import Entry, WeekData
from actmem.report.week_floors import with_floors
from actmem.report.week_pairs import comparison_table, pairs_table
from actmem.report.week_rates import Clusters, Line, lines
from actmem.report.week_tables import (
    channels_table,
    intervals_table,
    models_table,
    setups_table,
    slices_table,
)
from actmem.week.paper import paper

from .conftest import ALL, HALF, Weeks, cells


@pytest.fixture
def grid(weeks: Weeks) -> WeekData:
    """Two models under single, one of them under ledger too.

    big single: week one all (4 TP), week two half (1 TP, 1 FP, 3 FN): Set-F1 10/14.
    small single: half, half: 4/12. big ledger: all, all: 1. small ledger: nothing, failed: 0.
    """
    return with_floors(
        weeks.data(
            weeks.entry(
                "single big", weeks.played("one", ALL), weeks.played("two", HALF),
                setup="single", model="big",
            ),
            weeks.entry(
                "single small", weeks.played("one", HALF), weeks.played("two", HALF),
                setup="single", model="small",
            ),
            weeks.entry(
                "ledger big", weeks.played("one", ALL), weeks.played("two", ALL),
                setup="ledger", model="big",
            ),
        )
    )  # fmt: skip


def test_table_2_by_hand(grid: WeekData) -> None:
    table = setups_table(grid, Clusters(grid))
    single = cells(table, setup="single")
    assert single["macro_set_f1"].value == pytest.approx((10 / 14 + 4 / 12) / 2)
    assert single["micro_set_f1"].value == pytest.approx(14 / (14 + 3 + 9))
    assert single["precision"].value == pytest.approx((5 / 6 + 2 / 4) / 2)
    assert single["models"].value == 2
    assert single["scored"].value == "4/4"
    assert (single["fp"].value, single["fp_week"].value) == (3, 0.8)
    assert single["queries"].value == 0
    assert single["cross_day_hit"].value is None  # there is no such task
    ledger = cells(table, setup="ledger")
    assert ledger["macro_set_f1"].value == 1.0
    assert ledger["macro_set_f1"].best
    assert not single["macro_set_f1"].best
    oracle = cells(table, setup="oracle")
    assert (oracle["macro_set_f1"].value, oracle["macro_set_f1"].best) == (1.0, False)


def test_queries_stand_apart_and_together(weeks: Weeks) -> None:
    asked = {"mon1": {"clock": 2}, "mon3": {"clock": 1, "inbox": 1}}
    entry = weeks.entry("mine", weeks.played("one", ALL, asked), weeks.played("two", ALL))
    data = with_floors(weeks.data(entry))
    row = cells(setups_table(data, Clusters(data)), setup="mine")
    found = [row[name].value for name in ("clock_queries", "channel_queries", "queries")]
    assert found == [3, 1, 4]


def test_floors_stand_in_every_table(grid: WeekData) -> None:
    clusters = Clusters(grid)
    for table in (
        setups_table(grid, clusters), models_table(grid, clusters), slices_table(grid, clusters),
        channels_table(grid, clusters), intervals_table(grid, clusters), evidence_table(grid),
        costs_table(grid),
    ):  # fmt: skip
        first = [row[0].value for row in table.rows]
        assert first[-5:] == ["nop", "all", "random", "keyword", "oracle"], table.name
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert cells(table, **{table.columns[0].key: "nop"})["from"].value == "played now"


def test_table_3_marks_the_best_setup_of_a_model(grid: WeekData) -> None:
    table = models_table(grid, Clusters(grid))
    big, small = cells(table, model="big"), cells(table, model="small")
    assert big["single"].value == pytest.approx(10 / 14)
    assert [big[name].best for name in ("single", "ledger")] == [False, True]
    assert small["single"].value == pytest.approx(4 / 12)
    assert (small["ledger"].value, small["single"].best) == ("", False)  # nothing to beat
    assert cells(table, model="oracle")["alone"].value == 1.0


def test_slices_and_channels_by_hand(grid: WeekData) -> None:
    """Of two weeks: 4 tasks in the narrative, 2 by the clock, 2 on the inbox."""
    clusters = Clusters(grid)
    single = cells(slices_table(grid, clusters), setup="single")
    assert single["narrative"].value == pytest.approx((3 / 4 + 2 / 4) / 2)
    assert single["clock"].value == pytest.approx((1 / 2 + 0) / 2)
    assert single["channel"].value == pytest.approx((1 / 2 + 0) / 2)
    table = channels_table(grid, clusters)
    assert [c.title for c in table.columns[2:4]] == ["clock (2)", "inbox (2)"]
    assert cells(table, setup="single")["inbox"].value == pytest.approx(0.25)
    assert cells(table, setup="ledger")["inbox"].value == 1.0


def test_evidence_and_broken_links_by_hand(weeks: Weeks) -> None:
    """Oven and mail were done unseen in week one; in week two both were seen and mail forgotten."""
    seen = {"mon3": ["clock", "inbox"]}
    forgot = {"mon1": ["post"], "mon2": ["bread"], "mon3": ["oven"]}
    entry = weeks.entry("mine", weeks.played("one", ALL), weeks.played("two", forgot, seen))
    row = cells(evidence_table(with_floors(weeks.data(entry))), setup="mine")
    assert (row["with_evidence"].value, row["without_evidence"].value) == (5, 2)
    assert row["guessed"].value == pytest.approx(2 / 7)
    assert (row["action"].value, row["evidence"].value, row["played"].value) == (1, 0, 0)


def test_costs_by_hand(weeks: Weeks) -> None:
    usage = Usage(
        calls=3, prompt_tokens=1000, cached_tokens=750, completion_tokens=50, seconds=2.0, retries=1
    )
    entry = weeks.entry(
        "single m",
        weeks.played("one", ALL, usage=usage, invalid=1, pruned=2),
        weeks.played("two", ALL, status="failed", error="it broke"),
        setup="single", model="m",
    )  # fmt: skip
    table = costs_table(with_floors(weeks.data(entry)))
    row = {name: cell.value for name, cell in cells(table, agent="single m").items()}
    assert row["scored"] == "1/2"
    assert (row["calls"], row["tokens"], row["written"], row["seconds"]) == (3, 1050, 50, 2.0)
    assert (row["cached"], row["retries"], row["pruned"]) == (0.75, 1, 2)
    assert row["invalid"] == pytest.approx(1 / 6)
    assert row["failed"] == 0.5
    assert "single m" in table.note


def _incomplete(weeks: Weeks) -> Entry:
    return weeks.entry(
        "broken", weeks.played("one", ALL), weeks.played("two", ALL, status="missing")
    )


def test_what_was_not_played_to_its_end_is_never_best_nor_compared(weeks: Weeks) -> None:
    mine = weeks.entry("mine", weeks.played("one", ALL), weeks.played("two", HALF))
    data = with_floors(weeks.data(mine, _incomplete(weeks)))
    clusters = Clusters(data)
    table = setups_table(data, clusters)
    broken = cells(table, setup="broken")
    assert (broken["scored"].value, broken["scored"].note) == ("1/2", "INCOMPLETE")
    assert broken["macro_set_f1"].value == 1.0
    assert not broken["macro_set_f1"].best
    assert cells(table, setup="mine")["macro_set_f1"].best
    assert "broken" in table.note
    pairs = pairs_table(data, clusters)
    assert not [row for row in pairs.rows if "broken" in {row[0].value, row[1].value}]
    assert "Left out, since not all of it was played: broken" in pairs.note


def test_a_privileged_row_is_never_best(weeks: Weeks) -> None:
    told = weeks.entry("told", weeks.played("one", ALL), weeks.played("two", ALL), privilege="told")
    mine = weeks.entry("mine", weeks.played("one", ALL), weeks.played("two", HALF))
    data = with_floors(weeks.data(told, mine))
    table = setups_table(data, Clusters(data))
    assert not cells(table, setup="told")["macro_set_f1"].best
    assert cells(table, setup="told")["privilege"].value == "told"
    assert cells(table, setup="mine")["macro_set_f1"].best


def test_repeats_of_a_week_are_no_weeks(weeks: Weeks) -> None:
    """Ten repeats of each week leave the interval that two weeks span."""
    few = weeks.entry("mine", weeks.played("one", ALL), weeks.played("two", HALF))
    many = weeks.entry(
        "mine", *(weeks.played("one", ALL) for _ in range(10)),
        *(weeks.played("two", HALF) for _ in range(10)),
    )  # fmt: skip
    for entry in (few, many):
        data = with_floors(weeks.data(entry))
        cell = cells(setups_table(data, Clusters(data)), setup="mine")["macro_set_f1"]
        assert cell.low == pytest.approx(2 / 6)
        assert cell.high == 1.0


def test_repeats_of_a_week_are_pooled(weeks: Weeks) -> None:
    """7 TP, 3 FP and 9 FN in all; week one alone has 10/14."""
    entry = weeks.entry(
        "mine", weeks.played("one", ALL), weeks.played("one", HALF),
        weeks.played("two", HALF), weeks.played("two", HALF),
    )  # fmt: skip
    data = with_floors(weeks.data(entry))
    cell = cells(setups_table(data, Clusters(data)), setup="mine")["macro_set_f1"]
    assert cell.value == pytest.approx(14 / 26)
    assert cell.low == pytest.approx(4 / 12)
    assert cell.high == pytest.approx(10 / 14)


def test_differences_by_hand(grid: WeekData) -> None:
    """single and ledger share the model big alone: 10/14 against 1, and week one is a draw.

    Exchanging week two turns the difference round: all 4 exchanges are as large.
    """
    table = pairs_table(grid, Clusters(grid))
    row = cells(table, one="single", two="ledger")
    assert row["models"].value == 1
    assert row["difference"].value == pytest.approx(10 / 14 - 1)
    assert (row["p"].value, row["p_holm"].value) == (1.0, 1.0)
    assert "cannot fall below 0.5" in table.note
    assert {r[1].value for r in table.rows} == {"ledger", "keyword"}


def test_setups_without_a_common_model_are_not_compared(weeks: Weeks) -> None:
    def whole(agent: str, setup: str, model: str) -> Entry:
        played = (weeks.played("one", ALL), weeks.played("two", ALL))
        return weeks.entry(agent, *played, setup=setup, model=model)

    data = with_floors(
        weeks.data(whole("single a", "single", "a"), whole("ledger b", "ledger", "b"))
    )
    clusters = Clusters(data)
    found = {(row[0].value, row[1].value) for row in pairs_table(data, clusters).rows}
    assert found == {("single", "keyword"), ("ledger", "keyword")}
    alone = [Line(entry.name, (entry,)) for entry in data.entries]
    compared = comparison_table(alone, clusters)
    assert ("single a", "ledger b") in {(row[0].value, row[1].value) for row in compared.rows}


def test_of_one_week_the_days_are_drawn_and_no_p_is_given(weeks: Weeks) -> None:
    mine = weeks.entry("mine", weeks.played("one", ALL))
    data = with_floors(weeks.data(mine, weeks=["one"]))
    clusters = Clusters(data)
    assert clusters.by_days
    assert "days of the one week" in setups_table(data, clusters).note
    table = pairs_table(data, clusters)
    assert cells(table, one="mine", two="keyword")["p"].value is None
    assert "One week gives no p" in table.note


def test_lines_go_from_setups_to_agents_to_floors(grid: WeekData, weeks: Weeks) -> None:
    names = [line.name for line in lines(grid)]
    assert names == ["single", "ledger", "nop", "all", "random", "keyword", "oracle"]


def test_a_floor_of_the_run_is_not_played_again(weeks: Weeks) -> None:
    own = weeks.entry("keyword", weeks.played("one", HALF), weeks.played("two", HALF))
    data = with_floors(weeks.data(own, own))
    found = [entry for entry in data.entries if entry.name == "keyword"]
    assert found == [own]
    assert [e.source for e in data.entries] == ["played now"] * 3 + ["run", "played now"]


@pytest.mark.parametrize(("nudge", "shown"), [("informed", True), ("channels", False)])
def test_published_heartbeats_stand_beside_informed_ones_alone(
    weeks: Weeks, nudge: str, shown: bool
) -> None:
    beating = weeks.entry(
        "heartbeat m", weeks.played("one", ALL), setup="heartbeat", model="m", nudge=nudge
    )
    plain = weeks.entry("single m", weeks.played("one", ALL), setup="single", model="m")
    own = weeks.data(beating, plain, weeks=["one"])
    data = with_floors(own._replace(units={"one": paper().week.digest}))
    clusters = Clusters(data)
    setups = [(row[0].value, row[1].value) for row in setups_table(data, clusters).rows]
    assert ("single", "published") in setups
    assert (("heartbeat", "published") in setups) == shown
    model = cells(models_table(data, clusters), model="GPT-5.4")
    assert model["single"].value == 0.725
    assert model["heartbeat"].value == (0.791 if shown else "")
    slices = cells(slices_table(data, clusters), setup="single", **{"from": "published"})
    assert (slices["clock"].value, slices["narrative"].value) == (0.464, "")
    other = with_floors(own)  # another week: nothing is printed of it
    assert "published" not in {row[1].value for row in setups_table(other, Clusters(other)).rows}
