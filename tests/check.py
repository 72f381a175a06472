"""Everything that must hold before a change lands: format, lint, types, tests.

python -m tests.check [pytest's arguments]
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable


def steps(arguments: list[str]) -> dict[str, list[str]]:
    return {
        "format": [PYTHON, "-m", "ruff", "format", "--check", "--quiet", "."],
        "lint": [PYTHON, "-m", "ruff", "check", "--quiet", "."],
        "types": [PYTHON, "-m", "basedpyright", "--pythonpath", PYTHON],
        "tests": [PYTHON, "-m", "pytest", "-q", "-n", "auto", *arguments],
    }


def main() -> int:
    for name, command in steps(sys.argv[1:]).items():
        started = time.monotonic()
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        print(f"{name}: {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - started:.0f} s)", flush=True)
        if code:
            return code
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
