"""What a data set consists of (the paper's Table 1, and what it leaves out)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from actmem.mem2act.data import Dataset
from actmem.mem2act.history import History
from actmem.mem2act.slots import task_slots
from actmem.mem2act.values import Text, findable, leaves


def stats(data: Dataset) -> dict[str, Any]:
    """Return counts, means and shares of a data set, by name; shares are fractions.

    ``turns`` are the user's, ``messages`` all; ``tokens`` by our own rule, ``tokens_stated`` as
    the file has them. A share is None where there is nothing to divide by.
    """
    history = History(data)
    slots = [slot for task in data.tasks for slot in task_slots(task)]
    users = sum(turn.role == "user" for turn in history.turns)
    calls = [c for s in data.sessions for turn in s.turns for c in turn.tool_calls or ()]
    tokens = history.offsets[-1]
    return {
        "sessions": len(data.sessions),
        "conversations": len(data.held),
        "turns": users,
        "messages": len(history.turns),
        "turns_per_session": _share(users, len(data.sessions)),
        "messages_per_session": _share(len(history.turns), len(data.sessions)),
        "tokens": tokens,
        "tokens_per_session": _share(tokens, len(data.sessions)),
        "tokens_stated": sum(session.token_count for session in data.sessions),
        "sessions_with_calls": sum(
            any(turn.tool_calls for turn in session.turns) for session in data.sessions
        ),
        "calls": len(calls),
        "tools_called": len({str(call.function.name) for call in calls}),
        "tasks": len(data.tasks),
        "tasks_resolvable": sum(map(data.resolvable, data.tasks)),
        "tasks_complete": sum(map(data.complete, data.tasks)),
        "tools": len({task.tool for task in data.tasks}),
        "tools_to_choose_from": len(data.tools),
        "levels": _tally(task.complexity_metadata.level for task in data.tasks),
        "facts_per_task": _share(
            sum(len(task.evolution_chain) for task in data.tasks), len(data.tasks)
        ),
        "share_with_conflicts": _share(
            sum(task.complexity_metadata.has_temporal_conflict for task in data.tasks),
            len(data.tasks),
        ),
        "slots": len(slots),
        "slots_by_grounding": _tally(slot.grounding or "unstated" for slot in slots),
        "slots_by_class": _tally(slot.value_class for slot in slots),
        "values_in_chain": _in_chain(data),
    }


def _in_chain(data: Dataset) -> float | None:
    """Return the share of gold values that stand word for word in their task's chain."""
    found = total = 0
    for task in data.tasks:
        chain = Text("\n".join(f"{fact.fact}\n{fact.source_text}" for fact in task.evolution_chain))
        for leaf in leaves(task.tool_call.arguments):
            if findable(leaf):
                total += 1
                found += chain.holds(leaf)
    return _share(found, total)


def _tally(names: Any) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
