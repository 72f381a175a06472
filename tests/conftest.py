"""One surrounding for all tests: a home and a folder of their own, a clean environment, no network but loopback."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

KEPT = {"PATH", "LANG", "LC_ALL", "TMPDIR", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "COVERAGE_PROCESS_START"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="run the tests that take long, too")
    parser.addoption("--write-golden", action="store_true", help="write the golden files anew")


def pytest_configure(config: pytest.Config) -> None:
    """The same examples every time, so that a change is judged by the change; new ones with --thorough."""
    thorough = bool(config.getoption("--thorough"))
    settings.register_profile("gemcli", max_examples=2000 if thorough else 300, derandomize=not thorough, deadline=None)
    settings.load_profile("gemcli")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--thorough"):
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(pytest.mark.skip(reason="takes long: run with --thorough"))


def _only_loopback(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] not in ("127.0.0.1", "::1"):
        raise PermissionError(f"a test reached for {args[1]}")


sys.addaudithook(_only_loopback)


@pytest.fixture(autouse=True)
def own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    for name in set(os.environ) - KEPT:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    yield
