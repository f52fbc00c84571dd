"""Whether a task needs memory: which gold values can be had from what the reader is shown anyway.

That is the request, word for word or as it is said ("half past six" for 18:30), a default of the tool,
the one option of a parameter, and an example in a description. What is left can only be known from
the history, or be guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from actmem.mem2act.data import Task
from actmem.mem2act.schema import is_default, options, parameters, parts
from actmem.mem2act.spoken import is_meant, meanings
from actmem.mem2act.values import Text, findable, text_of, tokens

KINDS = {
    "needs_no_memory": "every gold value of the task can be had without memory",
    "given_value": "a gold value can be had without memory",
}
"""What each kind of defect means."""
LONGEST = 4
"""Words of the longest phrase that is read as a number, time or date."""
_WORD = re.compile(r"[\w:.'-]*\w")


def given(task: Task) -> Iterator[tuple[str, str | None]]:
    """Yield each scalar of the gold call by its path, and where it can be had; None for nowhere."""
    known = parameters(task.target_tool_schema)
    tool = str(task.target_tool_schema.get("description", ""))
    for name, value in task.tool_call.arguments.items():
        whole = is_default(value, known.get(name))
        for path, leaf, part in parts(value, known.get(name), name):
            choice = options(part)
            described = (tool, *(_description(one) for one in (known.get(name), part)))
            if _tells(task.query, leaf):
                yield path, "stands in the request"
            elif whole or is_default(leaf, part):
                yield path, "is the default"
            elif choice == [leaf]:
                yield path, "is the only option"
            elif len(choice) < 2 and any(_tells(text, leaf) for text in described):
                yield path, "stands in the tool's description"
            else:
                yield path, None


def needless(task: Task) -> Iterator[tuple[str, str]]:
    """Yield kind and message of each value that can be had without memory, and of a whole call."""
    found = dict(given(task))
    for path, where in found.items():
        if where:
            yield "given_value", f"{path} {where}"
    if all(found.values()):
        yield "needs_no_memory", "; ".join(f"{path} {where}" for path, where in found.items())


def _description(part: Any) -> str:
    return str(part.get("description", "")) if isinstance(part, dict) else ""


def _tells(text: str, value: Any) -> bool:
    """Return whether a text tells a scalar: in its words, in any order, or as it is said."""
    if not findable(value):
        return False
    if Text(text).holds(value) or set(tokens(text_of(value))) <= set(tokens(text)):
        return True
    words = _WORD.findall(text)
    phrases = (
        " ".join(words[start : start + length])
        for length in range(1, LONGEST + 1)
        for start in range(len(words) - length + 1)
    )
    return any(is_meant(value, meanings(phrase)) for phrase in phrases)
