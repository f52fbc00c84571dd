"""Our runner against Inspect's: 8 weeks under ``single`` with one scripted model, whole processes.

``python benchmarks/runners.py [ROUNDS]`` prints medians of seconds, seconds of processor time and
peak memory, and fails where the two count differently. Making the weeks is in both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

WEEKS = 8
HISTORY = 1_000_000
"""Tokens: nothing is pruned. One runner counts tokens and the other estimates them."""
SCRIPT: list[Any] = [
    {"reply": {"action": "choose", "choice": "A", "task_ids": handles, "channel": "NONE"}}
    for handles in (["task_1"], ["task_2", "task_4"], [], ["task_3", "task_5"], [])
]


class Took(NamedTuple):
    seconds: float
    processor: float
    megabytes: float


def measured(words: list[str]) -> Took:
    """Run a process to its end."""
    started = time.perf_counter()
    child = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)  # fmt: skip
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} ended with status {os.waitstatus_to_exitcode(status)}")
    seconds = time.perf_counter() - started
    return Took(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def by_inspect(folder: str) -> None:
    """Play the weeks by Inspect, its mock model replying as the script says."""
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from actmem.inspect_tasks.week import week
    from actmem.models.chat import Message
    from actmem.models.scripted import ScriptedChat

    chat = ScriptedChat(SCRIPT)

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        text = chat.complete([Message(m.role, m.text) for m in messages]).text
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = run(week(seed=1, weeks=WEEKS, history_tokens=HISTORY), model=model, display="none",
                 log_dir=folder)  # fmt: skip
    assert log.status == "success"


def counts(run: Path) -> Any:
    """Return the counts of a run folder or a log."""
    words = [sys.executable, "-m", "actmem", "score", "run", str(run), "--json"]
    done = subprocess.run(words, capture_output=True, check=True)
    return json.loads(done.stdout)["rows"][0]["counts"]


def one_round(folder: Path) -> tuple[Took, Took]:
    """Measure both once, and compare what they count."""
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT))
    own = measured(["-m", "actmem", "run", "week", "--model", f"scripted:{script}", "--seed", "1",
                    "--weeks", str(WEEKS), "--history-tokens", str(HISTORY), "-o", str(folder / "own")])  # fmt: skip
    theirs = measured([__file__, "--inspect", str(folder / "logs")])
    (log,) = (folder / "logs").glob("*.eval")
    if counts(folder / "own") != counts(log):
        raise SystemExit("the two runners count differently")
    return own, theirs


def main(arguments: list[str]) -> None:
    """Measure some rounds and print their medians."""
    if arguments[:1] == ["--inspect"]:
        by_inspect(arguments[1])
        return
    rounds = []
    for _ in range(int(arguments[0]) if arguments else 5):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(one_round(Path(folder)))
    loaded = measured(["-c", "import inspect_ai, anthropic, openai, actmem.inspect_tasks"])
    print(f"{WEEKS} weeks, single, scripted; medians of {len(rounds)}")
    print(f"{'':28}{'seconds':>10}{'processor':>11}{'MB':>7}")
    named = zip(("actmem run", "inspect eval"), zip(*rounds, strict=True), strict=True)
    rows = [(name, Took(*map(median, zip(*took, strict=True)))) for name, took in named]
    for name, took in [*rows, ("of it, imports alone", loaded)]:
        print(f"{name:28}{took.seconds:10.1f}{took.processor:11.1f}{took.megabytes:7.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
