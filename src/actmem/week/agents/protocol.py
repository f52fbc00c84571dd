"""How a model plays: what it is shown of an observation, and what its replies mean.

A reply is one flat object. ``action`` says what it is; the fields that an action has no use for must
be empty, so that a reply that says two things at once is asked again and not guessed at (paper,
section A.5).
"""

from __future__ import annotations

from typing import Any, Literal

from actmem.errors import ActionError
from actmem.models.structured import Schema
from actmem.models.wording import Words
from actmem.week.heartbeat import INTERVALS
from actmem.week.scenario import CLOCK
from actmem.week.world import (
    CHOICES,
    MAX_HANDLES,
    MAX_QUERIES,
    Act,
    Decision,
    Observation,
    Query,
    SetHeartbeat,
)

Form = Literal["list", "flags"]
"""How a reply names what is done: a list of handles, or a flag for each handle of the menu."""
NONE = "NONE"
ASKED = MAX_QUERIES - 1
"""Most queries of a model at a step: the world's limit, less the switch of a heartbeat."""
MAX_CONDITION = 60
"""Most characters of a condition under the form ``flags``."""


def reply_schema(
    observation: Observation,
    form: Form,
    *,
    heartbeat: bool = False,
    extra: dict[str, Any] | None = None,
) -> Schema:
    """Return the schema of a reply at a step; ``extra`` are further properties, all required."""
    actions = ["choose"]
    if observation.channels:
        actions.append("query_state")
    if CLOCK in observation.channels:
        actions.append("check_time")
    if heartbeat:
        actions.append("set_heartbeat")
    handles = [item.handle for item in observation.menu]
    properties: dict[str, Any] = {
        "action": {"enum": actions},
        "choice": {"enum": [*CHOICES, NONE]},
    }
    channel = {"enum": [*observation.channels, NONE]}
    if form == "list":
        properties |= {"task_ids": _list(handles), "channel": channel}
    else:
        properties |= {
            "channel": channel,
            "tasks": {"anyOf": [{"type": "null"}, flags_schema(handles)]},
        }
    if heartbeat:
        properties["heartbeat_enabled"] = {"anyOf": [{"type": "null"}, {"type": "boolean"}]}
        properties["heartbeat_minutes"] = {"enum": [None, *INTERVALS]}
    properties |= extra or {}
    return Schema("reply", closed(properties))


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(handles: list[str]) -> dict[str, Any]:
    if not handles:
        return {"type": "array", "items": {"enum": [NONE]}, "maxItems": 0}
    return {"type": "array", "items": {"enum": handles}, "maxItems": MAX_HANDLES}


def flags_schema(handles: list[str]) -> dict[str, Any]:
    """Return the schema of an object with a condition and a flag for each handle."""
    flag = closed(
        {
            "condition": {"type": "string", "maxLength": MAX_CONDITION},
            "due_now": {"type": "boolean"},
        }
    )
    return closed(dict.fromkeys(handles, flag))


def decision(reply: dict[str, Any], asked: int = 0) -> Decision:
    """Return what a reply means; raises ``ActionError`` for one that contradicts itself.

    ``reply`` fits the schema that ``reply_schema`` gave for the step. After ``ASKED`` queries at the
    step only a choice is taken: the world would refuse more, and the model is better told here.
    """
    action = reply["action"]
    if action != "choose" and asked >= ASKED:
        raise ActionError("action", f"{asked} queries at one card are enough; choose now")
    handles = _handles(reply)
    if action == "choose":
        if reply["choice"] == NONE:
            raise ActionError("choice", "with the action choose it must be A, B or C")
        if reply["channel"] != NONE:
            raise ActionError("channel", "with the action choose it must be NONE; ask before")
        return Act(reply["choice"], handles)
    if reply["choice"] != NONE:
        raise ActionError("choice", f"with the action {action} it must be NONE; choose afterwards")
    if handles:
        field = "task_ids" if "task_ids" in reply else "tasks"
        raise ActionError(field, f"with the action {action} nothing can be done; choose afterwards")
    if action == "set_heartbeat":
        return _heartbeat(reply)
    if reply["channel"] == NONE or (action == "check_time" and reply["channel"] != CLOCK):
        wanted = CLOCK if action == "check_time" else "a channel"
        raise ActionError("channel", f"with the action {action} it must be {wanted}")
    return Query(reply["channel"])


def _heartbeat(reply: dict[str, Any]) -> SetHeartbeat:
    if reply["heartbeat_enabled"] is None:
        raise ActionError("heartbeat_enabled", "must be true or false to set the heartbeat")
    if not reply["heartbeat_enabled"]:
        return SetHeartbeat(None)
    if reply["heartbeat_minutes"] is None:
        raise ActionError("heartbeat_minutes", "must be 30 or 60 to switch the heartbeat on")
    return SetHeartbeat(reply["heartbeat_minutes"])


def _handles(reply: dict[str, Any]) -> tuple[str, ...]:
    """Return the handles that a reply wants done."""
    if "task_ids" in reply:
        handles = reply["task_ids"]
        if len(set(handles)) < len(handles):
            raise ActionError("task_ids", "a handle stands there twice")
        return tuple(handles)
    if reply["tasks"] is None:
        if reply["action"] == "choose":
            raise ActionError("tasks", "with the action choose it needs an entry for each handle")
        return ()
    due = tuple(handle for handle, flag in reply["tasks"].items() if flag["due_now"])
    if len(due) > MAX_HANDLES:
        raise ActionError("tasks", f"{len(due)} are due now, at most {MAX_HANDLES} can be done")
    return due


def rules(words: Words, observation: Observation, form: Form) -> str:
    """Return the first message: what this is about, and how replies look."""
    return words.fill(
        "base",
        "rules",
        channels=", ".join(observation.channels) or "none",
        form=words.get("base", f"form_{form}"),
    )


def day_text(words: Words, observation: Observation) -> str:
    """Return the message with which a day begins."""
    return words.fill("base", "day", day=observation.day, plan="\n".join(observation.opening))


def card_text(words: Words, observation: Observation) -> str:
    """Return a step as a message."""
    time = words.fill("base", "time", time=observation.time) + "\n" if observation.time else ""
    a, b, c = observation.options
    return words.fill(
        "base",
        "card",
        time=time,
        nudge=f"{observation.nudge}\n" if observation.nudge else "",
        text=observation.text,
        a=a,
        b=b,
        c=c,
        menu="\n".join(f"{item.handle}: {item.text}" for item in observation.menu) or "(empty)",
    )
