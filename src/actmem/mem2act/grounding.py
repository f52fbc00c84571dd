"""Whether a gold value follows from the words that its grounding quotes, and from nothing stale.

A value stands in the quotes (one a line), each of which stands in a source of the task, or it
follows by the steps that its grounding states (``inference``). Words that a later fact corrects
(``Fact.supersedes``) ground nothing without that fact, and do not give the value that it gives.
"""

from __future__ import annotations

from collections.abc import Iterator

from actmem.mem2act.data import Fact, Quote, Task
from actmem.mem2act.history import History, fold
from actmem.mem2act.inference import CannotFollowError, infer
from actmem.mem2act.schema import options, parameters, parts
from actmem.mem2act.spoken import is_meant
from actmem.mem2act.values import Text, text_of

KINDS = {
    "ungrounded_value": "a gold value does not follow from the words that its grounding quotes",
    "stale_value": "a gold value rests on words that later ones correct, or holds before them",
}
"""What each kind of defect means."""


def ungrounded(history: History, task: Task) -> Iterator[tuple[str, str]]:
    """Yield kind and message of each defect of a task's groundings; defaults are passed over."""
    for name, grounding in task.tool_call.grounding_info.items():
        if name not in task.tool_call.arguments or grounding.type == "default":
            continue
        words = grounding.source_text or ""
        quotes = {
            quote: [turn for source in task.sources for turn in history.holding(source, quote)]
            for quote in words.split("\n")
        }
        lost = [quote for quote, turns in quotes.items() if not turns]
        problem = f"{lost[0]!r} stands in no source" if lost else why_not(task, name, words)
        if problem:
            yield "ungrounded_value", f"{name}: {problem}"
            continue
        cited = {turn for turns in quotes.values() for turn in turns}
        for fact, old in history.corrections:
            left = fold(words).replace(fold(old.source_text), " ")
            if cited.isdisjoint(history.stating(fact)) and why_not(task, name, left):
                yield "stale_value", f"{name} rests on {old.source_text!r}"
    for fact in task.evolution_chain:
        for old in fact.supersedes:
            yield from (("stale_value", problem) for problem in _idle(history, task, fact, old))


def why_not(task: Task, name: str, words: str) -> str | None:
    """Return why an argument's value does not follow from ``words``; None where it does.

    The steps of its grounding are followed. What words mean is a reader's to judge, but they can
    only mean an option of the tool or a truth value.
    """
    read: set[str] = set()
    meant: set[str] = set()
    try:
        for step in task.tool_call.grounding_info[name].inference:
            (meant if step.startswith("means: ") else read).update(infer(step, words))
    except CannotFollowError as error:
        return str(error)
    text = Text(words)
    parameter = parameters(task.target_tool_schema).get(name)
    for path, leaf, part in parts(task.tool_call.arguments[name], parameter, name):
        free = not isinstance(leaf, bool) and leaf not in options(part)
        chosen = not free and text_of(leaf) in meant
        if not (chosen or text.holds(leaf) or is_meant(leaf, read)):
            return f"{path} is {text_of(leaf)}, which does not follow from the words quoted"
    return None


def _idle(history: History, task: Task, fact: Fact, old: Quote) -> Iterator[str]:
    """Yield why the words that a fact corrects are none: not earlier, or with the same outcome."""
    before = history.holding(old.source_id, old.source_text)
    if not before or min(before) >= min(history.stating(fact), default=0):
        yield f"{old.source_text!r} does not stand before {fact.source_text!r}"
    now, then = fold(fact.source_text), fold(old.source_text)
    info = task.tool_call.grounding_info
    texts = {name: fold(grounding.source_text or "") for name, grounding in info.items()}
    resting = {name: text for name, text in texts.items() if now in text}
    changed = [why_not(task, name, text.replace(now, then)) for name, text in resting.items()]
    if resting and not any(changed):
        yield f"{old.source_text!r} gives what {fact.source_text!r} gives"
