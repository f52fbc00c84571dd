from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from actmem.cli.check_model import model as check_model
from actmem.cli.fetch import fetch
from actmem.cli.list_models import models as list_models
from actmem.errors import InputError, ProviderError
from actmem.models import catalogue
from actmem.models.catalogue import Entry, ModelFile

RIGHT = '{"reply": {"letter": "B", "word": "green"}}\n'


def call(command: click.Command, arguments: Sequence[str]) -> Result:
    return CliRunner().invoke(command, list(arguments), standalone_mode=False)


def script(tmp_path: Path, text: str) -> str:
    path = tmp_path / "script.jsonl"
    path.write_text(text)
    return f"scripted:{path}"


def test_check_model_that_works(tmp_path: Path) -> None:
    got = call(check_model, [script(tmp_path, RIGHT)])
    assert got.return_value == 0
    assert "structured reply  yes, the schema is sent by the provider's own means" in got.stdout
    assert '"letter": "B"' in got.stdout


def test_check_model_counts_invalid_replies(tmp_path: Path) -> None:
    got = call(check_model, [script(tmp_path, '"no"\n' + RIGHT)])
    assert got.return_value == 0
    assert "2 replies were invalid first" in got.stdout


def test_check_model_that_does_not_fit(tmp_path: Path) -> None:
    got = call(check_model, [script(tmp_path, '"I do not know"\n')])
    assert got.return_value == 1
    assert "structured reply  no: the reply holds no JSON object" in got.stdout


def test_check_model_that_fails(tmp_path: Path) -> None:
    got = call(check_model, [script(tmp_path, '{"fail": "gone"}\n')])
    assert isinstance(got.exception, ProviderError)


@pytest.mark.parametrize(("value", "good"), [("0.5", True), ("none", True), ("hot", False)])
def test_temperature(tmp_path: Path, value: str, good: bool) -> None:
    got = call(check_model, [script(tmp_path, RIGHT), "--temperature", value])
    assert (got.return_value == 0) == good
    assert good or isinstance(got.exception, click.BadParameter)


def test_option_out_of_range(tmp_path: Path) -> None:
    got = call(check_model, [script(tmp_path, RIGHT), "--max-tokens", "0"])
    assert isinstance(got.exception, InputError)


def test_list_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTMEM_HOME", str(tmp_path))
    got = call(list_models, [])
    assert got.exit_code == 0
    for name in catalogue.catalogue():
        assert name in got.stdout
    assert "not fetched" in got.stdout


def test_fetch_model_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACTMEM_HOME", str(tmp_path))
    entry = Entry("chat", "Tiny", "MIT", "a test", 0.1, (ModelFile("a.bin", "0" * 64, 3, ()),))
    monkeypatch.setattr(catalogue, "catalogue", lambda: {"tiny": entry})
    path = tmp_path / "models/tiny/a.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"abc")
    got = call(fetch, ["model", "tiny"])
    assert got.exception is None
    assert got.stdout == f"{path}\n"
    assert "100 %  a.bin" in got.stderr


def test_fetch_unknown_model() -> None:
    got = call(fetch, ["model", "gpt"])
    assert isinstance(got.exception, InputError)
