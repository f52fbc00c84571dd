"""The wording bank keeps its own rules: cues share no word with their description, lures do."""

import pytest

from actmem.trials.bank import WorldBank, content_words, world_bank
from actmem.trials.trial import WORLDS


@pytest.fixture(params=WORLDS)
def bank(request: pytest.FixtureRequest) -> WorldBank:
    return world_bank(request.param)


def test_no_cue_shares_a_word_with_its_vague_description(bank: WorldBank) -> None:
    vague = [(c.text, c.members) for c in bank.category]
    vague += [(s.text, s.cues) for s in bank.situation]
    shared = [
        (text, cue)
        for text, cues in vague
        for cue in cues
        if content_words(text) & content_words(cue)
    ]
    assert shared == []


def test_every_lure_shares_a_word_with_the_description(bank: WorldBank) -> None:
    texts = [(c.text, c.lures) for c in bank.category]
    texts += [(s.text, s.lures) for s in bank.situation]
    texts += [(e.name, e.lures) for e in bank.exact]
    alien = [
        (text, lure)
        for text, lures in texts
        for lure in lures
        if not content_words(text) & content_words(lure)
    ]
    assert alien == []


def test_no_lure_or_filler_is_a_member(bank: WorldBank) -> None:
    for kind in bank.category:
        others = {*kind.lures, *kind.near, *bank.ambient, *bank.targets}
        assert not others & set(kind.members)
    for exact in bank.exact:
        assert exact.name not in {*exact.lures, *bank.ambient}


def test_names_are_unique_and_categories_exist(bank: WorldBank) -> None:
    members = [name for kind in bank.category for name in kind.members]
    assert len(members) == len(set(members))
    keys = {kind.key for kind in bank.category}
    assert all(set(kind.apart) <= keys - {kind.key} for kind in bank.category)
    assert len(bank.ambient) == len(set(bank.ambient)) >= 25


def test_chatter_shares_no_word_with_a_situation_more_than_once(bank: WorldBank) -> None:
    for remark in bank.remarks:
        for said in bank.situation:
            assert len(content_words(remark) & content_words(said.text)) < 2, (remark, said.text)
