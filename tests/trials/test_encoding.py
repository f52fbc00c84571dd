"""What counts as holding the intention, on hand-made trials and on every released one."""

import msgspec
import pytest

from actmem.trials.encoding import holds_intention
from actmem.trials.trial import Intended, Trial, Trigger
from actmem.trials.worlds.shopping import ShoppingSetup

from .test_score import trial

VANILLA = msgspec.structs.replace(
    trial(Trigger(at=18 * 60 + 35)),
    intention="At 18:35, add 'vanilla' to the cart.",
    intended=Intended("add_item", ("vanilla",)),
)
MAIL = msgspec.structs.replace(
    trial(Trigger(at=13 * 60 + 45)),
    intention="When the clock shows 13:45, send Chloe an e-mail with the subject 'agenda'.",
    intended=Intended("send_email", ("Chloe", "agenda")),
)
OFFER = msgspec.structs.replace(
    trial(Trigger(names=("tea", "cocoa"), before=19 * 60)),
    specificity="category",
    intention="Before seven in the evening, put a hot drink in the cart when one is on offer.",
    intended=Intended("add_item", cue=True),
)


SECOND = msgspec.structs.replace(
    trial(Trigger(names=("tea",), nth=2)),
    intention="The second time 'tea' is on offer, put it in the cart; leave the first time alone.",
    intended=Intended("add_item", cue=True),
)
LATER = msgspec.structs.replace(
    trial(Trigger(names=("tea",), after=18 * 60 + 40)),
    intention="From 18:40 on, the next time 'tea' is on offer, put it in the cart.",
    intended=Intended("add_item", cue=True),
)
SPAN = msgspec.structs.replace(
    VANILLA,
    trigger=Trigger(at=19 * 60 + 39),
    setup=ShoppingSetup(19 * 60, 5, (("vanilla",),) * 6, ((0, "vanilla"),), ("",) * 6),
    intention="Exactly thirty-nine minutes after the time on the first clock, add 'vanilla'.",
)
BELL = msgspec.structs.replace(
    trial(Trigger(at=3)),
    intention="When 3 rounds are finished, ring the blue bell.",
    intended=Intended("ring", ("blue",)),
)


@pytest.mark.parametrize(
    ("of", "stated", "holds"),
    [
        (VANILLA, "At 18:35 add vanilla.", True),
        (VANILLA, "Buy vanilla when it is 6:35 pm", True),
        (VANILLA, "vanilla at 6.35 p.m.", True),
        (VANILLA, "Add 'vanilla' to the cart at 09:00", False),
        (VANILLA, "Add 'vanilla' to the cart", False),
        (VANILLA, "Add 'sugar' to the cart at 18:35", False),
        (VANILLA, "Never add vanilla to the cart at 18:35", False),
        (VANILLA, "At 18:35 or 18:40, add vanilla", False),
        (VANILLA, "", False),
        (MAIL, "e-mail Chloe at 13:45, subject 'agenda'", True),
        (
            MAIL,
            "send an e-mail with the subject 'agenda' to Hugo when the clock shows 13:45",
            False,
        ),
        (OFFER, "put any hot drink that is on offer before seven in the evening in the cart", True),
        (OFFER, "tea or cocoa, whichever is on offer before 19:00", True),
        (OFFER, "before 7 pm buy a hot drink when one is on offer", True),
        (OFFER, "buy a hot drink after 20:00 in the evening, put one in the cart on offer", False),
        (OFFER, "be careful", False),
        (OFFER, "after 7 pm buy a hot drink when one is on offer", False),
        (OFFER, "the second time a hot drink is on offer before 7 pm, buy it", False),
        (SECOND, "the second time tea is on offer, buy it", True),
        (SECOND, "buy the tea when it is on offer again", True),
        (SECOND, "the first time tea is on offer, buy it", False),
        (SECOND, "the third time tea is on offer, buy it", False),
        (LATER, "when tea is on offer from 18:40 on, buy it", True),
        (LATER, "when tea is on offer before 18:40, buy it", False),
        (SPAN, "add vanilla 39 minutes after the first clock", True),
        (SPAN, "add vanilla 38 minutes after the first clock", False),
        (BELL, "ring the blue bell when 3 rounds are finished", True),
        (BELL, "ring the blue and the red bell when 3 rounds are finished", False),
    ],
)
def test_statements(of: Trial, stated: str, holds: bool) -> None:
    assert holds_intention(of, stated) is holds


def test_every_intention_holds_itself_and_hardly_one_of_another_condition(
    trials: tuple[Trial, ...],
) -> None:
    assert [one.id for one in trials if not holds_intention(one, one.intention)] == []
    pairs = [
        (one, other)
        for one in trials
        for other in trials
        if one.world == other.world and one.trigger != other.trigger
    ]
    assert sum(holds_intention(one, other.intention) for one, other in pairs) < 0.01 * len(pairs)
