"""Each world by itself: what its actions do, what it refuses, what it shows."""

from actmem.trials.grammar import Call
from actmem.trials.worlds.memory_game import MemoryGame, MemoryGameSetup
from actmem.trials.worlds.navigation import Navigation, NavigationSetup
from actmem.trials.worlds.scheduling import Scheduling, SchedulingSetup
from actmem.trials.worlds.shopping import Shopping, ShoppingSetup

NONE = ("",) * 24


def test_shopping() -> None:
    offers = (("tea", "soap"), ("tea",), ("Soap", "tea"), ("tea",))
    shop = Shopping(ShoppingSetup(1140, 5, offers, ((0, "tea"), (2, "tea")), ("Hello.", *NONE)))
    first = shop.view()
    assert first.shown == ("tea", "soap", "Hello.")
    assert first.text().splitlines()[:3] == [
        "Clock: 19:00",
        "Announcement: Hello.",
        "On offer now: tea, soap",
    ]
    assert shop.act(Call("add_item", ("TEA",)))[1:3] == (True, True)
    assert shop.act(Call("add_item", ("tea",)))[1:3] == (
        True,
        False,
    )  # the second entry opens later
    assert shop.act(Call("add_item", ("gold",)))[1:3] == (False, False)
    assert shop.goals() == (1, 2)
    assert shop.act(Call("add_item", ("tea",)))[1:3] == (True, True)
    assert shop.goals() == (2, 2)


def test_shopping_shows_the_cart_and_the_purchases() -> None:
    shop = Shopping(ShoppingSetup(600, 10, (("tea",),) * 4, ((0, "tea"),), NONE))
    for _ in range(2):
        shop.act(Call("add_item", ("tea",)))
    text = shop.view().text()
    assert "Shopping list: tea (bought)" in text
    assert "Cart: tea x2" in text
    assert "Purchases so far: 10:00 tea, 10:10 tea" in text


def test_navigation() -> None:
    marks = ((0, 1, "oak"), (2, 0, "pond"))
    town = Navigation(NavigationSetup(3, (0, 0), ((1, 0), (1, 1)), marks, NONE))
    assert town.view().near == (("north", "oak"),)
    assert not town.act(Call("move", ("south",))).accepted
    assert not town.act(Call("move", ("up",))).accepted
    assert town.view().time == 0
    assert "reach a goal" in town.act(Call("move", ("East",))).reply
    assert town.view().shown == ("(1, 0)", "pond")
    assert town.act(Call("mark"))[1:3] == (True, False)
    assert town.goals() == (1, 2)
    assert "Goals left: (1, 1)" in town.view().text()
    town.act(Call("move", ("north",)))
    assert (town.goals(), town.view().time) == ((2, 2), 2)


def test_goals_count_in_order_only() -> None:
    town = Navigation(NavigationSetup(3, (0, 0), ((2, 0), (1, 0)), (), NONE))
    town.act(Call("move", ("east",)))
    assert town.goals() == (0, 2)


def test_scheduling() -> None:
    requests = (
        (0, "add_meeting", ("Icons", "09:30")),
        (0, "send_email", ("ana", "keys")),
        (2, "send_email", ("ana", "keys")),
    )
    office = Scheduling(SchedulingSetup(480, 5, requests, ((1, "Roadmap", "10:00"),), NONE))
    assert [str(call) for call in office.view().requests] == [
        "add_meeting('Icons', '09:30')",
        "send_email('ana', 'keys')",
    ]
    assert office.act(Call("add_meeting", ("icons", "09:30")))[1:3] == (True, True)
    assert office.view().new == ("icons", "Roadmap")
    for slot in ("10:00", "09:31", "07:45", "9:30"):
        assert not office.act(Call("add_meeting", ("Other", slot))).accepted
    assert not office.act(Call("send_email", ("", "keys"))).accepted
    assert [office.act(Call("send_email", ("ana", "keys"))).demanded for _ in range(3)] == [
        True,
        True,
        False,
    ]
    assert office.goals() == (3, 3)
    assert "10:00 Roadmap" in office.view().text()


def test_memory_game() -> None:
    game = MemoryGame(MemoryGameSetup(("fox", "key", "key", "fox"), NONE))
    assert game.act(Call("flip", (3,))).reply == "Card 3 is fox."
    assert not game.act(Call("flip", (3,))).accepted
    assert game.view().up == ((3, "fox"),)
    game.act(Call("flip", (1,)))
    assert (game.view().time, game.view().shown) == (1, ("fox", "key"))
    assert game.view().down == (2, 4)
    game.act(Call("flip", (1,)))  # after a failed round its cards can be turned again
    assert "a pair" in game.act(Call("flip", (2,))).reply
    assert game.goals() == (1, 2)
    assert "1 = key, 2 = key (a pair)" in game.view().text()
    for number in (0, 5, -1, 1):
        assert not game.act(Call("flip", (number,))).accepted
    assert game.act(Call("ring", ("Red",)))[1:3] == (True, False)
    assert not game.act(Call("ring", ("gold",))).accepted
    for number in (3, 4):
        game.act(Call("flip", (number,)))
    assert game.goals() == (2, 2)
    assert "Face down: none" in game.view().text()


def test_a_step_passes_without_a_call() -> None:
    shop = Shopping(ShoppingSetup(600, 10, (("tea",),) * 3, ((0, "tea"),), NONE))
    assert not shop.act(None).accepted
    assert shop.view().time == 610
