"""A file about a failed request, for whoever wants to know more than one line."""

import json
import sys
import tempfile
from pathlib import Path

from gemcli import __version__
from gemcli.clock import Clock
from gemcli.config.private import new_private_file
from gemcli.events import Failure
from gemcli.ids import new_uuid
from gemcli.redact import Redactor
from gemcli.session.history import History


def write_report(failure: Failure, model: str, history: History, clock: Clock, redactor: Redactor) -> Path | None:
    """Where the report is; None when it cannot be written (the failure itself is still told)."""
    report = {
        "error": {"type": failure.type, "message": failure.message, "status": failure.status},
        "time": clock.today().isoformat(),
        "gemcli": __version__,
        "python": sys.version.split()[0],
        "platform": sys.platform,
        "model": model,
        "context": [content.to_json() for content in history.contents],
    }
    text = redactor(json.dumps(report, ensure_ascii=False, indent=2))
    path = Path(tempfile.gettempdir(), f"gemcli-error-{new_uuid()}.json")
    try:
        new_private_file(path, text.encode("utf-8", "replace"))
    except OSError:
        return None
    return path
