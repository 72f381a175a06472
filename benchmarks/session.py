"""A long session with tool calls: what turn 400 costs against turn 20, in CPU and memory.

    python -m benchmarks.session [--repeat 400]

Aim: turn 400 costs at most 1.3 times the CPU of turn 20.
"""

import asyncio
import resource
import statistics
import time
from collections.abc import Mapping
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path

from benchmarks.rig import repeats, service
from gemcli.api.connect import connect
from gemcli.api.models import Models
from gemcli.clock import SystemClock
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings
from gemcli.config.surroundings import Surroundings
from gemcli.events import ApiCallFinished
from gemcli.redact import Redactor
from gemcli.session import ChatSession, Services, SessionConfig
from gemcli.tools import ToolRegistry
from gemcli.trace import Trace


class Look:
    name = "look"
    declaration: Mapping[str, object] = {"name": "look"}

    def __init__(self) -> None:
        self.calls = 0

    async def run(self, args: Mapping[str, object]) -> str:
        self.calls += 1
        return f"result {self.calls}: " + "x" * 500


async def main(turns: int) -> None:
    with service(calls=turns) as url:
        env = {"GEMINI_API_KEY": "benchmark-key", "GOOGLE_GEMINI_BASE_URL": url}
        redactor = Redactor()
        around = Surroundings(env, Paths(Path.cwd(), Path.cwd()), Settings(), SystemClock(), redactor, Trace(redactor))
        services = Services(connect("s", around), ToolRegistry([Look()]), Models(), around.clock)
        session = ChatSession(SessionConfig("gemini-2.5-flash", "Be brief.", detects_loops=False), services)
        marks = [time.process_time()]
        memory = [_megabytes()]
        async with aclosing(session.send("go")) as events:
            async for event in events:
                if isinstance(event, ApiCallFinished):
                    marks.append(time.process_time())
                    memory.append(_megabytes())
        await session.aclose()
    costs = [(after - before) * 1000 for before, after in pairwise(marks[1:])]
    early, late = statistics.median(costs[10:30]), statistics.median(costs[-20:])
    print(f"{len(costs)} turns with a call: CPU {early:.2f} ms at turns 11 to 30, {late:.2f} ms at the last 20")
    print(f"ratio {late / early:.2f} (aim: at most 1.3); memory {memory[30]:.0f} MB, then {memory[-1]:.0f} MB")


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    asyncio.run(main(repeats(__doc__, 400)))
