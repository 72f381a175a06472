"""A file about a failed request, for whoever wants to know more than one line."""

import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from gemcli import __version__
from gemcli.config.private import new_private_file
from gemcli.events import Failure
from gemcli.ids import new_uuid
from gemcli.redact import Redactor
from gemcli.session.chat import ChatSession


def write_report(failure: Failure, prompt: str, session: ChatSession, redactor: Redactor) -> Path | None:
    """Where the report is; None when it cannot be written (the failure itself is still told)."""
    report = {
        "error": {"type": failure.type, "message": failure.message, "status": failure.status},
        "time": datetime.now(UTC).isoformat(),
        "gemcli": __version__,
        "python": sys.version.split()[0],
        "platform": sys.platform,
        "model": session.model,
        "prompt": prompt,
        "context": [content.to_json() for content in session.history.contents],
    }
    text = json.dumps(redactor.value(report), ensure_ascii=False, indent=2)
    try:
        path = Path(tempfile.gettempdir(), f"gemcli-error-{new_uuid()}.json")
        new_private_file(path, text.encode("utf-8", "replace"))
    except OSError:
        return None
    return path
