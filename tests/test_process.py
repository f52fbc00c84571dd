"""Talking to a program: answers, faults, and that nothing of it stays behind."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.process import LineProcess, ProcessError, command_files, command_words

Start = Callable[..., LineProcess]
ECHO = "for line in sys.stdin: print(line, end='', flush=True)"


@pytest.fixture
def start() -> Iterator[Start]:
    started = []

    def run(code: str, **options: object) -> LineProcess:
        command = shlex.join([sys.executable, "-c", f"import os, sys, time\n{code}"])
        started.append(LineProcess(command, **options))  # type: ignore[arg-type]
        return started[-1]

    yield run
    for process in started:
        process.close(0)


def gone(pid: int) -> bool:
    """Whether a process ends soon. A zombie counts as one that is there."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if zombie_of_another(pid):
            return True
        time.sleep(0.02)
    return False


def zombie_of_another(pid: int) -> bool:
    """Whether it has ended and only waits for a parent that is not us."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return fields[0] == "Z" and int(fields[1]) != os.getpid()
    return False


def test_each_question_has_its_answer(start: Start) -> None:
    process = start(ECHO)
    assert [process.ask({"n": n}) for n in range(3)] == [b'{"n":0}', b'{"n":1}', b'{"n":2}']
    process.close()
    process.close()


def test_a_question_larger_than_a_pipe_is_no_deadlock(start: Start) -> None:
    text = "x" * 1_000_000
    assert start(ECHO).ask(text) == f'"{text}"'.encode()


def test_it_is_given_our_environment_and_more(start: Start) -> None:
    code = "input(); print(os.environ['SEED'], os.environ['PATH'])"
    assert start(code, environment={"SEED": "7"}).ask({}) == f"7 {os.environ['PATH']}".encode()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("sys.exit(3)", "ended with exit code 3 before it answered a line"),
        ("input(); sys.exit('out of\\n memory ')", "exit code 1 before it answered a line: memory"),
        ("input(); raise ValueError('no such day')", "ValueError: no such day"),
        ("input(); os.kill(os.getpid(), 9)", "ended by SIGKILL"),
        ("input(); os.close(1); time.sleep(60)", "closed its stdout before it answered"),
        ("time.sleep(60)", r"no answer to a line in 0\.5 s"),
        ("input(); print('1', end='', flush=True); time.sleep(60)", r"no answer to a line in 0\.5"),
        ("input(); print('1\\n2', flush=True); time.sleep(60)", "with more than one line"),
        ("input(); print('x' * 2000, flush=True); time.sleep(60)", "longer than 1000 bytes"),
        ("input(); print('x' * 2000, end='', flush=True); time.sleep(60)", "longer than 1000"),
    ],
)
def test_a_fault_is_one_line_and_ends_it(start: Start, code: str, says: str) -> None:
    process = start(code, seconds=0.5 if "no answer" in says else 30, longest=1000)
    with pytest.raises(ProcessError, match=says) as caught:
        process.ask({})
    assert "\n" not in str(caught.value)
    assert gone(process._process.pid)
    with pytest.raises(ProcessError, match="has ended and cannot be asked"):
        process.ask({})


def test_a_line_that_nothing_asked_for(start: Start, tmp_path: Path) -> None:
    said = tmp_path / "said"
    process = start(f"print('hello', flush=True)\nopen({str(said)!r}, 'w').close()\n{ECHO}")
    while not said.exists():
        time.sleep(0.01)
    with pytest.raises(ProcessError, match=r"more than one line|before it was asked"):
        process.ask({})


def test_stderr_is_passed_on(start: Start, capfd: pytest.CaptureFixture[str]) -> None:
    process = start(f"print('ready', file=sys.stderr)\n{ECHO}\nprint('b', end='', file=sys.stderr)")
    process.ask({})
    process.close()
    assert capfd.readouterr().err == "ready\nb\n"


def test_much_on_stderr_blocks_nothing(start: Start) -> None:
    code = "for line in sys.stdin:\n sys.stderr.write('x' * 1_000_000)\n print('{}', flush=True)"
    assert start(code).ask({}) == b"{}"


def test_children_end_with_it(start: Start) -> None:
    child = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    code = f"import subprocess\nchild = {child}\ninput(); print(child.pid, flush=True)"
    process = start(f"{code}\ninput()")
    pid = int(process.ask({}))
    with pytest.raises(ProcessError, match="exit code 0"):  # the child holds the pipes open
        process.ask({})
    assert gone(pid)
    stays = start(f"{code}\ntime.sleep(60)")
    pid = int(stays.ask({}))
    stays.close(0)
    assert gone(pid)
    assert gone(stays._process.pid)


@pytest.mark.parametrize("end", ["", "import signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_none_outlives_ours(tmp_path: Path, end: str) -> None:
    """At an ordinary end it is ended; when ours is killed it sees the end of its stdin."""
    child = "import os; input(); print(os.getpid(), flush=True); input()"
    code = (
        "import os, sys\nfrom actmem.process import LineProcess\n"
        f"p = LineProcess({shlex.join([sys.executable, '-c', child])!r})\n"
        f"print(p.ask(0).decode(), flush=True)\n{end}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert gone(int(done.stdout))


@pytest.mark.parametrize("command", ["", "/no/such/program", "'", "no-such-program-here", "/tmp"])
def test_a_program_that_is_none_is_named(command: str) -> None:
    with pytest.raises(InputError, match="cannot be started"):
        command_words(command)


def test_files_of_a_command_are_told_by_their_content(tmp_path: Path) -> None:
    one = tmp_path / "one.py"
    one.write_text("1")
    command = f"sh {one} {tmp_path} --flag"
    before = command_files(command)
    assert list(before) == [str(one)]
    one.write_text("2")
    assert command_files(command) != before
