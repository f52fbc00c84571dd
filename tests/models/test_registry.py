from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from actmem.errors import InputError
from actmem.models.chat import Message, clean, estimate_tokens, merged
from actmem.models.keys import public_url, read_key, redact
from actmem.models.prompts import prompts, prompts_digest
from actmem.models.registry import ModelOptions, open_model

from .conftest import need


def test_scripted_by_name(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('["hello"]')
    chat = open_model(f"scripted:{path}", ModelOptions(window=4_000))
    assert chat.complete([Message("user", "?")]).text == "hello"
    assert chat.window == 4_000
    chat.close()


def test_openai_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    need(find_spec("openai") is not None, "needs the extra 'openai'")
    monkeypatch.setenv("OTHER_KEY", "abcdefgh")
    options = ModelOptions(key_variable="OTHER_KEY", base_url="http://127.0.0.1:9/v1", window=9_000)
    chat = open_model("openai/org/model", options)
    assert (chat.name, chat.window) == ("openai/org/model", 9_000)
    assert chat.settings["model"] == "org/model"
    assert "abcdefgh" not in repr(chat.settings)
    chat.close()


@pytest.mark.parametrize(
    "name", ["", "gpt", "openai/", "scripted:", "replay", "local:", "localx", "x:y"]
)
def test_no_such_model(name: str) -> None:
    with pytest.raises(InputError, match="there is no model"):
        open_model(name)


def test_missing_script(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        open_model(f"scripted:{tmp_path / 'none'}")


def test_base_url_belongs_to_openai() -> None:
    with pytest.raises(InputError, match="--base-url"):
        open_model("scripted:x", ModelOptions(base_url="http://127.0.0.1"))
    with pytest.raises(InputError, match="--key-env: is for openai/NAME"):
        open_model("scripted:x", ModelOptions(key_variable="OTHER"))


@pytest.mark.parametrize(
    "options",
    [
        ModelOptions(temperature=-1),
        ModelOptions(temperature=float("nan")),
        ModelOptions(max_tokens=0),
        ModelOptions(window=10),
        ModelOptions(threads=0),
    ],
)
def test_options_out_of_range(options: ModelOptions) -> None:
    with pytest.raises(InputError, match="is not in"):
        open_model("scripted:x", options)


def test_importing_the_models_loads_no_model_library() -> None:
    code = (
        "import sys, actmem.models.registry, actmem.models.dialogue, actmem.models.scripted\n"
        "heavy = {'openai', 'numpy', 'xllamacpp', 'tokenizers', 'rich', 'click'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_redact() -> None:
    assert redact("key=abcd1234.", "abcd1234") == "key=[key]."
    assert redact("Bearer abcdefgh12 sk-proj-abc***def hf_abcdefghij", None) == "[key] [key] [key]"
    assert redact("a task-list, risk-free", "a") == "a task-list, risk-free"


def test_public_url() -> None:
    assert public_url("https://u:p@Host.example:8443/v1/?k=1#f") == "https://host.example:8443/v1"
    assert public_url("http://[::1]:80/v1") == "http://[::1]:80/v1"


def test_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("K", "  abc \n")
    assert read_key("K") == "abc"
    monkeypatch.setenv("K", " ")
    assert read_key("K") is None


def test_messages() -> None:
    assert merged([Message("user", "a"), Message("assistant", "b"), Message("assistant", "c")]) == [
        Message("user", "a"), Message("assistant", "b\n\nc"),
    ]  # fmt: skip
    assert estimate_tokens([Message("user", "x" * 3600)]) == 1206
    assert clean("a\ud800b \ud83d\ude00 é") == "a\ufffdb 😀 é"


def test_prompts() -> None:
    assert "{problem}" in prompts()["again"]
    assert "{schema}" in prompts()["schema"]
    assert len(prompts_digest()) == 64
