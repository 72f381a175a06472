"""Asks, where a setting wants it, whether the model stopped in the middle of something."""

import json
from typing import Any, cast

from gemcli.wire import StreamChunk, text_content

CONTINUE = "Please continue."
_QUESTION = """Look only at your last message. Who should speak next?

- "model": it announces something you will do right away and have not done, or it breaks off in the middle.
- "user": it asks the user something, or it is complete.

Answer in JSON."""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string", "description": "Why, in one sentence."},
        "next_speaker": {"type": "string", "enum": ["user", "model"]},
    },
    "required": ["reasoning", "next_speaker"],
}
GENERATION = {
    "temperature": 0,
    "topP": 1,
    "responseMimeType": "application/json",
    "responseJsonSchema": _SCHEMA,
}


def question() -> bytes:
    return text_content("user", _QUESTION).to_bytes()


def is_models_turn(answer: StreamChunk) -> bool:
    """An answer that cannot be read means no: the turn ends as it would have without asking."""
    content = answer.candidate.content if answer.candidate is not None else None
    try:
        said: Any = json.loads(content.text) if content is not None else None
    except ValueError:
        return False
    return isinstance(said, dict) and cast("dict[str, object]", said).get("next_speaker") == "model"
