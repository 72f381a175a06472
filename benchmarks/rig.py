"""What the benchmarks share: a model service in a process of its own, measured runs, tables.

Read the ratios: programs run in turns, so that whatever else the machine does hits all of them alike.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fake_gemini import FakeGemini, call, text, turn

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def service(calls: int = 0) -> Iterator[str]:
    """The fake model service, in another process; gives its URL. It calls a tool so often before it speaks."""
    command = [sys.executable, "-m", "benchmarks.rig", str(calls)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()  # the service ends with its standard input


def _serve() -> None:
    calls = [turn(call("look", n=n)) for n in range(int(sys.argv[1]))]
    answer = turn(*(text(f"word {n} ") for n in range(8)))
    with FakeGemini(*calls, answer, last_repeats=True) as fake:
        print(fake.url, flush=True)
        sys.stdin.read()


@dataclass(frozen=True)
class Program:
    name: str
    command: list[str]


def programs() -> list[Program]:
    """gemcli from this checkout, and the original when it can be found."""
    ours = shutil.which("gemcli", path=str(Path(sys.executable).parent))
    found = [Program("gemcli", [ours] if ours else [sys.executable, "-m", "gemcli"])]
    original = os.environ.get("GEMINI_CLI_COMMAND") or shutil.which("gemini")
    if original and shutil.which("node"):
        found.append(Program("original", shlex.split(original)))
    else:
        print("The original is left out: node or Gemini CLI is missing (set GEMINI_CLI_COMMAND to name it).\n")
    return found


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float


def measure(command: list[str], env: dict[str, str], cwd: str) -> Cost:
    """Wall time, and CPU of the process and all its children, in milliseconds."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = process.stdout, process.stderr
    assert out is not None and err is not None
    said, complaints = out.read(), err.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    out.close()
    err.close()
    if process.returncode or not said:
        raise SystemExit(f"{command} failed ({process.returncode}): {complaints.decode()[-500:]}")
    return Cost(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000)


def surroundings(home: str, url: str) -> dict[str, str]:
    """An environment in which both programs talk to the service and to nothing else."""
    folder = Path(home, ".gemini")
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    Path(folder, "settings.json").write_text(json.dumps(settings))
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": home,
        "TERM": "xterm-256color",
        "GEMINI_API_KEY": "benchmark-key",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def compare(rows: dict[str, list[str]], repeat: int) -> dict[str, dict[str, Cost]]:
    """Median cost of each row's arguments for each program, run in turns."""
    found = programs()
    costs: dict[str, dict[str, list[Cost]]] = {row: {each.name: [] for each in found} for row in rows}
    with service() as url, tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch, "work")
        work.mkdir()
        for each in found:  # once for the caches
            measure([*each.command, "--version"], surroundings(f"{scratch}/{each.name}", url), str(work))
        for round_ in range(repeat):
            order = found[round_ % len(found) :] + found[: round_ % len(found)]
            for row, arguments in rows.items():
                for each in order:
                    env = surroundings(f"{scratch}/{each.name}", url)
                    costs[row][each.name].append(measure([*each.command, *arguments], env, str(work)))
    return {row: {name: _median(each) for name, each in by_name.items()} for row, by_name in costs.items()}


def _median(costs: list[Cost]) -> Cost:
    return Cost(statistics.median(cost.wall for cost in costs), statistics.median(cost.cpu for cost in costs))


def print_table(costs: dict[str, dict[str, Cost]], aims: dict[str, float]) -> None:
    beside = any("original" in by_name for by_name in costs.values())
    head = f"{'original ms (CPU)':>22}{'ratio':>9}{'(CPU)':>9}{'aim':>7}" if beside else ""
    print(f"{'':14}{'gemcli ms (CPU)':>20}{head}")
    for row, by_name in costs.items():
        ours, theirs = by_name["gemcli"], by_name.get("original")
        line = f"{row:14}{ours.wall:12.0f} ({ours.cpu:5.0f})"
        if theirs is not None:
            line += f"{theirs.wall:14.0f} ({theirs.cpu:5.0f})"
            line += f"{ours.wall / theirs.wall:9.3f}{ours.cpu / theirs.cpu:9.3f}{aims[row]:7.2f}"
        print(line)


def repeats(description: str | None, default: int) -> int:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--repeat", type=int, default=default)
    return int(parser.parse_args().repeat)


if __name__ == "__main__":
    _serve()
