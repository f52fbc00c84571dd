"""How often a memory brings the intention back when it is due, with perfect play.

``python benchmarks/trials_recall.py [TOKENS…]`` plays the twelve trials of ``select.sample`` in the
setup ``memory`` with the oracle in place of a model, and counts the trials in whose prompt the
intention stands at every due step, by subset and by the tokens that passages may have (200, 1000).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from actmem.memory.tokens import count_tokens
from actmem.models.chat import Completion, Message, Usage
from actmem.models.structured import Schema
from actmem.models.tape import Tape
from actmem.trials.agents.floors import floor
from actmem.trials.agents.setups import SetupOptions, built_in, make_agent
from actmem.trials.select import sample
from actmem.trials.trial import Trial
from actmem.trials.world import Episode, Observation


class Perfect:
    """Replies what it was told to, and keeps its last prompt."""

    name, window, parallel = "perfect", None, 1
    settings: Mapping[str, Any] = {}
    reply = prompt = ""

    def complete(self, messages: Sequence[Message], schema: Schema | None = None) -> Completion:
        self.prompt = messages[-1].content
        reply = {"action": self.reply}
        return Completion(text=json.dumps(reply), parsed=reply, usage=Usage(calls=1))

    def close(self) -> None: ...


def brought(trial: Trial, tokens: int) -> bool:
    """Return whether the intention stands in the prompt at every due step."""
    chat, perfect = Perfect(), floor("oracle", trial)
    options = SetupOptions(words=built_in(), passage_tokens=tokens)
    agent = make_agent("memory", trial, chat, Tape([], lambda _: None), options)
    episode = Episode(trial)
    observation: Observation | None = episode.reset()
    there = True
    while observation is not None:
        chat.reply = perfect.decide(observation)
        due = trial.trigger.holds(observation.view) and observation.step == trial.delay
        observation = episode.act(agent.decide(observation))
        there &= trial.intention in chat.prompt or not due
    return there


def main() -> None:
    for tokens in map(int, sys.argv[1:] or ["200", "1000"]):
        found = Counter(str(trial.subset) for trial in sample() if brought(trial, tokens))
        print(f"{tokens} tokens:", ", ".join(f"{s} {found[s]} of 4" for s in "ABC"))
    first = [count_tokens(Episode(trial).reset().brief) for trial in sample()]
    print(f"first prompts: {min(first)} to {max(first)} tokens, rules included")


if __name__ == "__main__":
    main()
