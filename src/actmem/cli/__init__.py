"""The command line: verbs over suites, one file a verb, loaded when it is called.

Exit codes: 0 complete; 1 what was checked does not hold; 2 wrong usage or input, in one line; 3
failed or incomplete, or the output could not be written; 130 interrupted; 141 whoever read our
output has gone.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper

import click

from actmem import __version__
from actmem.errors import ActMemError

INTERRUPTED = 130
UNREAD = 141
LONGEST = 1000
"""Most characters of an error's line."""

_NO_WORDS: tuple[type[Exception], ...] = (
    (click.exceptions.NoArgsIsHelpError,) if hasattr(click.exceptions, "NoArgsIsHelpError") else ()
)
"""What click raises for a verb without a word, with the help as its text; before 8.2 it prints it."""

VERBS = {
    "make": "Make weeks and trials.",
    "check": "Check scenario files, the content bank, agents, models, memories.",
    "run": "Play a suite and print the scored table.",
    "plan": "Say what a run of models would take.",
    "score": "Score a log, or a run folder again.",
    "report": "Report on runs: tables, intervals, one HTML page.",
    "compare": "Set agents and runs against each other on the same units.",
    "explain": "Say why each task is or is not due, and what the agent did.",
    "fetch": "Fetch what does not come with ActMem: models.",
    "list": "List what can be named: agents, memories, models, setups.",
}
"""What each verb does; its module is ``actmem.cli.<verb>`` with a command named as the verb."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, not to print the help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in their order of use."""
        return [*VERBS]  # the verb `list` hides the built-in once it is loaded

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb's command."""
        if cmd_name not in VERBS:
            return None
        # A module of this package is bound in its namespace: one named list would hide the built-in.
        name = "list_" if cmd_name == "list" else cmd_name
        command = getattr(import_module(f"actmem.cli.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([*VERBS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="actmem")
def group() -> None:
    """Measure whether an AI agent acts on what it remembers."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    _mend_streams()
    code = run_cli(args)
    if code == INTERRUPTED:
        # Threads that an agent started may not end; whoever pressed Ctrl-C does not wait for them.
        from actmem.process import end_programs

        end_programs()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run_cli(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; errors are one line on stderr."""
    words = [*(sys.argv[1:] if args is None else args)]
    streams = (sys.stdout, sys.stderr)
    try:
        outcome = group.main(words, prog_name="actmem", standalone_mode=False, obj=words)
        sys.stdout.flush()
    except click.UsageError as error:
        if isinstance(error, _NO_WORDS):  # nothing was asked: say what could be
            click.echo(error.format_message(), err=True)
            return 2
        where = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        return _fail(f"{error.format_message()}{where}", 2)
    except click.ClickException as error:
        return _fail(error.format_message(), 2)
    except ActMemError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _discard_stdout()
        return UNREAD
    except SystemExit:
        if sys.stdout is streams[0]:
            raise
        sys.stdout, sys.stderr = (
            streams  # click answers a broken pipe with streams that keep silent
        )
        _discard_stdout()
        return UNREAD
    except OSError as error:
        _discard_stdout()
        if error.filename is None:
            return _fail(f"stdout cannot be written: {error.strerror}", 3)
        return _fail(f"{error.filename}: {error.strerror}", 2)
    return outcome if isinstance(outcome, int) else 0


def _mend_streams() -> None:
    """Give every standard stream something to write to that no sign can break.

    A closed one is opened to nothing, before a file of ours takes its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_stdout() -> None:
    """Let what is left in stdout's buffer go nowhere, so that nothing complains at the end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    text = " ".join(message.split())
    click.echo(f"actmem: {text if len(text) <= LONGEST else text[:LONGEST] + '…'}", err=True)
    return code
