"""A bundled recording, played in a throw-away copy of a small project: gemcli without an account."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
RECORDING = HERE / "recording.jsonl"
NOTE = (
    "This is a demo: the model's answers are a recording, played here. Nothing is sent anywhere, no account is needed."
)


@contextmanager
def demo_workspace() -> Generator[Path]:
    """A copy of the small project, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="gemcli-demo-") as folder:
        workspace = Path(folder).resolve() / "slug"
        shutil.copytree(HERE / "workspace", workspace, ignore=shutil.ignore_patterns("__pycache__"))
        yield workspace
