from __future__ import annotations

from typing import Any

import msgspec
import pytest

from actmem.errors import InputError, StoppedError
from actmem.models.budget import Budget, BudgetedChat
from actmem.models.chat import Message, Usage
from actmem.models.price import Price, read_prices
from actmem.models.scripted import ScriptedChat

CALL = Usage(calls=1, prompt_tokens=1_000_000, cached_tokens=600_000, completion_tokens=500_000)


def test_each_kind_of_token_has_its_price() -> None:
    assert Price(1, 0.1, 4).cost(CALL) == pytest.approx(0.4 + 0.06 + 2)


def test_prices_are_read_by_model() -> None:
    found = read_prices(["1,2,3", "openai/b=4,5,6.5"], ["openai/a", "openai/b"])
    assert found == {"openai/a": Price(1, 2, 3), "openai/b": Price(4, 5, 6.5)}
    assert read_prices(["scripted:a=b=1,2,3"], ["scripted:a=b", "local"]) == {
        "scripted:a=b": Price(1, 2, 3)
    }
    assert read_prices([], ["local"]) == {}


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["1,2"], "not three numbers"),
        (["a,b,c"], "not three numbers"),
        (["1,2,3,4"], "not three numbers"),
        (["1,-2,3"], "0 or more"),
        (["1,nan,3"], "0 or more"),
        (["1,inf,3"], "0 or more"),
        (["other=1,2,3"], "'other' is none of the models local"),
        (["local=1,2,3", "local=1,2,3"], "two prices"),
        (["1,2,3", "1,2,3"], "two prices"),
    ],
)
def test_a_price_that_is_none_is_refused(texts: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_prices(texts, ["local"])


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    known, unknown = Usage(calls=1, cost=0.25), Usage(calls=1)
    assert (known + known).cost == 0.5
    assert (known + unknown).cost is None
    assert (unknown + known).cost is None
    assert sum([known, known], Usage()).cost == 0.5
    assert Usage().cost is None


def test_what_the_endpoint_tells_goes_before_the_price() -> None:
    class Telling(ScriptedChat):
        told: float | None = None

        def complete(self, messages: Any, schema: Any = None) -> Any:
            completion = super().complete([Message("user", "hello")])
            usage = msgspec.structs.replace(completion.usage, cost=self.told)
            return msgspec.structs.replace(completion, usage=usage)

    chat = Telling(["yes"])
    budgeted = BudgetedChat(chat, Budget(), Price(1, 1, 1))
    usage = budgeted.complete([]).usage
    assert usage.cost == pytest.approx((usage.prompt_tokens + usage.completion_tokens) / 1e6)
    chat.told = 0.5
    assert budgeted.complete([]).usage.cost == 0.5


def test_a_budget_ends_where_either_limit_is_reached() -> None:
    budget = Budget(tokens=100, cost=1.0)
    budget.check()
    budget.add(Usage(calls=1, prompt_tokens=50, cost=0.4))
    budget.check()
    budget.add(Usage(calls=1, prompt_tokens=1, cost=0.6))
    with pytest.raises(StoppedError, match="a cost of 1 has come up, 1 was the limit"):
        budget.check()
    budget = Budget(tokens=100)
    budget.add(Usage(calls=1, prompt_tokens=60, completion_tokens=40))
    with pytest.raises(StoppedError, match="100 of 100 tokens"):
        budget.check()
