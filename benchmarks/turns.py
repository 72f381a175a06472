"""What a turn without tools costs us: our own CPU per ChatSession.send(), the service in another process.

    python -m benchmarks.turns [--repeat 200]

Aim: at most 5 ms per turn after the first, and no growth with the length of the session.
"""

import asyncio
import statistics
import time
from contextlib import aclosing
from pathlib import Path

from benchmarks.rig import repeats, service
from gemcli.api.connect import connect
from gemcli.api.models import Models
from gemcli.clock import SystemClock
from gemcli.config.paths import Paths
from gemcli.config.settings import Settings
from gemcli.config.surroundings import Surroundings
from gemcli.redact import Redactor
from gemcli.session import ChatSession, Services, SessionConfig
from gemcli.tools import ToolRegistry
from gemcli.trace import Trace


async def main(turns: int) -> None:
    with service() as url:
        env = {"GEMINI_API_KEY": "benchmark-key", "GOOGLE_GEMINI_BASE_URL": url}
        redactor = Redactor()
        paths = Paths(Path.cwd(), Path.cwd())
        around = Surroundings(env, paths, Settings(), SystemClock(), redactor, Trace(redactor))
        services = Services(connect("s", around), ToolRegistry(), Models(), around.clock)
        session = ChatSession(SessionConfig("gemini-2.5-flash", "Be brief."), services)
        costs: list[float] = []
        for number in range(turns):
            started = time.process_time()
            async with aclosing(session.send(f"prompt {number}")) as events:
                async for _ in events:
                    pass
            costs.append((time.process_time() - started) * 1000)
        await session.aclose()
    later = costs[1:]
    print(f"CPU per turn: first {costs[0]:.1f} ms, then median {statistics.median(later):.2f} ms (aim: at most 5)")
    early, late = statistics.median(later[10:30]), statistics.median(later[-20:])
    print(f"turns 11 to 30: {early:.2f} ms; the last 20 of {turns}: {late:.2f} ms; ratio {late / early:.2f}")


if __name__ == "__main__":
    asyncio.run(main(repeats(__doc__, 200)))
