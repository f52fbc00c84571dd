"""The command line: verbs over suites, one file a verb, loaded when it is called.

Exit codes: 0 complete; 1 what was checked does not hold; 2 wrong usage or input, in one line; 3
failed or incomplete; 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from actmem import __version__
from actmem.errors import ActMemError

VERBS = {
    "make": "Make weeks.",
    "check": "Check scenario files, the content bank, models.",
    "run": "Play a suite and print the scored table.",
    "plan": "Say what a run of models would take.",
    "score": "Score a log, or a run folder again.",
    "explain": "Say why each task is or is not due, and what the agent did.",
    "fetch": "Fetch what does not come with ActMem: models.",
    "list": "List what can be named: agents, models, setups.",
}
"""What each verb does; its module is ``actmem.cli.<verb>`` with a command named as the verb."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, not to print the help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in their order of use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb's command."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"actmem.cli.{cmd_name}")
        command = getattr(module, "list_" if cmd_name == "list" else cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="actmem")
def group() -> None:
    """Measure whether an AI agent acts on what it remembers."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run_cli(args))


def run_cli(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; errors are one line on stderr."""
    try:
        outcome = group.main(args, prog_name="actmem", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        where = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        return _fail(f"{error.format_message()}{where}", 2)
    except click.ClickException as error:
        return _fail(error.format_message(), 2)
    except ActMemError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", 130)
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return outcome if isinstance(outcome, int) else 0


def _fail(message: str, code: int) -> int:
    click.echo(f"actmem: {' '.join(message.split())}", err=True)
    return code
