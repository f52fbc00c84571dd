"""The setup ``hierarchy``: three watchers propose, the runtime asks, a coordinator decides.

There is no rolling chat: every call is made of the day's opening, the card, and the watchers' latest
reports (paper, table 6 and section A.5).
"""

from __future__ import annotations

import json
from collections import deque
from typing import Any

from actmem.models.chat import Chat
from actmem.models.dialogue import Dialogue, InvalidReplyError
from actmem.models.prompts import prompts
from actmem.models.structured import Schema
from actmem.models.tape import Tape
from actmem.week.agents.protocol import (
    ASKED,
    card_text,
    closed,
    decision,
    flags_schema,
    reply_schema,
    rules,
)
from actmem.week.agents.setups import SetupOptions
from actmem.week.world import MAX_HANDLES, Act, Decision, Observation, Pass, Query

WATCHERS = ("event_watcher", "status_watcher", "update_watcher")
COORDINATOR = "coordinator"
MAX_EVIDENCE = 100
"""Most characters of an entry's evidence."""
_EVIDENCE = {"type": "string", "maxLength": MAX_EVIDENCE}


class Hierarchy:
    """Three watchers and a coordinator, all played by one model.

    ``proposed`` holds the handles that each watcher proposed as due at the present step; a watcher
    without a valid report proposes nothing.
    """

    def __init__(self, chat: Chat, tape: Tape, options: SetupOptions) -> None:
        self._chat = chat
        self._tape = tape
        self._options = options
        self._opening: tuple[str, ...] = ()
        self._reports: dict[str, Any] = {}
        self._waiting: deque[str] = deque()
        self._coordinator: Dialogue | None = None
        self._schema: Schema
        self._ended = True
        self.proposed: dict[str, tuple[str, ...]] = {}

    def decide(self, observation: Observation) -> Decision:
        """Let the watchers report, ask what they want asked, then let the coordinator decide."""
        # A step whose last query was never answered was given up: this is the next one.
        if observation.error is None and (self._ended or not observation.replies):
            self._ended = False
            self._begin(observation)
        if self._waiting:
            return Query(self._waiting.popleft())
        chosen = self._coordinate(observation)
        self._ended = isinstance(chosen, Act | Pass)
        return chosen

    def _begin(self, observation: Observation) -> None:
        """Collect the watchers' reports on a new card."""
        if observation.first:
            self._opening = observation.opening
        self._coordinator = None
        self._waiting.clear()
        self.proposed = {}
        schema = report_schema(observation, self._options.form)
        current: dict[str, Any] = {}
        for watcher in WATCHERS:
            report = self._ask_watcher(watcher, observation, schema)
            self.proposed[watcher] = () if report is None else due_handles(report)
            if report is not None:
                current[watcher] = self._reports[watcher] = report
                self._waiting.extend(entry["channel"] for entry in report["queries"])
        self._current = current
        self._waiting = deque(list(dict.fromkeys(self._waiting))[:ASKED])

    def _ask_watcher(self, watcher: str, observation: Observation, schema: Schema) -> Any:
        """Return a watcher's report, None where it gave no valid one."""
        words = self._options.words
        dialogue = self._dialogue(watcher)
        role = words.fill(
            "hierarchy",
            "watcher",
            role=words.get("hierarchy", watcher),
            channels=", ".join(observation.channels) or "none",
            form=words.get("hierarchy", f"form_{self._options.form}"),
        )
        dialogue.say(role, role="system", pin="rules")
        card = words.fill(
            "hierarchy",
            "card",
            day=observation.day,
            plan="\n".join(self._opening),
            last=self._json(self._reports.get(watcher)),
            card=card_text(words, observation),
        )
        dialogue.say(card, pin="plan")
        try:
            return dialogue.ask(lambda report: report, schema)
        except InvalidReplyError:
            return None

    def _coordinate(self, observation: Observation) -> Decision:
        """Ask the coordinator, who may query before it chooses."""
        words = self._options.words
        if self._coordinator is None:
            self._coordinator = self._dialogue(COORDINATOR)
            prompt = rules(words, observation, self._options.form)
            prompt += f"\n\n{words.get('hierarchy', 'coordinator')}"
            self._coordinator.say(prompt, role="system", pin="rules")
            self._coordinator.say(self._case(observation), pin="plan")
            self._schema = reply_schema(observation, self._options.form)
        elif observation.error is not None:
            self._coordinator.say(prompts()["again"].format(problem=observation.error))
        else:
            self._coordinator.say(observation.replies[-1].text)
        asked = len(observation.replies)
        try:
            return self._coordinator.ask(lambda reply: decision(reply, asked), self._schema)
        except InvalidReplyError:
            return Pass()

    def _case(self, observation: Observation) -> str:
        """Return the card with the reports and the channels' answers."""
        words = self._options.words
        reports = [
            words.fill(
                "hierarchy", "report", watcher=name, report=self._json(self._current.get(name))
            )
            for name in WATCHERS
        ]
        replies = "\n".join(reply.text for reply in observation.replies)
        return words.fill(
            "hierarchy",
            "decide",
            day=observation.day,
            plan="\n".join(self._opening),
            card=card_text(words, observation),
            reports="\n".join(reports),
            replies=replies or words.get("hierarchy", "nothing_asked"),
        )

    def _dialogue(self, name: str) -> Dialogue:
        return Dialogue(self._chat, self._tape, name=name, budget=self._options.history_tokens)

    def _json(self, report: Any) -> str:
        if report is None:
            return self._options.words.get("hierarchy", "no_report")
        return json.dumps(report, ensure_ascii=False)


def report_schema(observation: Observation, form: str) -> Schema:
    """Return the schema of a watcher's report at a step."""
    handles = [item.handle for item in observation.menu]
    channels = list(observation.channels)
    properties: dict[str, Any] = {"queries": _entries("channel", channels, len(channels))}
    if form == "flags":
        properties["tasks"] = flags_schema(handles)
    else:
        for name in ("due", "later", "must_not_select"):
            properties[name] = _entries("task_id", handles, MAX_HANDLES)
    return Schema("report", closed(properties))


def _entries(key: str, names: list[str], most: int) -> dict[str, Any]:
    """Return the schema of a list of names, each with its evidence."""
    item = closed({key: {"enum": names or ["NONE"]}, "evidence": _EVIDENCE})
    return {"type": "array", "items": item, "maxItems": most if names else 0}


def due_handles(report: dict[str, Any]) -> tuple[str, ...]:
    """Return the handles that a report proposes as due, without repeats."""
    if "tasks" in report:
        return tuple(handle for handle, flag in report["tasks"].items() if flag["due_now"])
    return tuple(dict.fromkeys(entry["task_id"] for entry in report["due"]))
