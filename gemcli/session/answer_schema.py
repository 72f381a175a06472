"""Answers that must be JSON of a given shape."""

import json
import re
from pathlib import Path
from typing import Any

from gemcli.errors import InputError

_FENCED = re.compile(r"\A\s*```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_INSTRUCTION = """# The form of your answer

Your final message must be one JSON value and nothing else: no words before or after it, no code fence. \
It must be valid under this JSON schema:

{schema}"""
CORRECTION = (
    "That is not the JSON that was asked for: {problem} Send the corrected JSON value, whole, and nothing else."
)


class AnswerSchema:
    """A JSON schema, what the model is told of it, and the judge of what it sends."""

    def __init__(self, schema: Any) -> None:
        from jsonschema.exceptions import SchemaError
        from jsonschema.validators import validator_for

        kind: Any = validator_for(schema)
        try:
            kind.check_schema(schema)
        except SchemaError as error:
            raise InputError(f"The output schema is not valid: {error.message}") from error
        self._validator = kind(schema)
        self.instruction = _INSTRUCTION.format(schema=json.dumps(schema, ensure_ascii=False, indent=2))

    def problem(self, text: str) -> str:
        """Why this text is not what was asked for; empty when it is."""
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            return f"it cannot be read ({error})."
        fault: Any = next(iter(sorted(self._validator.iter_errors(value), key=lambda each: len(each.path))), None)
        return "" if fault is None else f"{fault.json_path}: {str(fault.message)[:500]}."


def unfenced(text: str) -> str:
    """Without the code fence that models like to put around JSON."""
    found = _FENCED.match(text)
    return (found[1] if found else text).strip()


def read_schema(path: Path) -> AnswerSchema:
    try:
        schema: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON schema: {error}.") from error
    if not isinstance(schema, dict | bool):
        raise InputError(f"{path} is no JSON schema: it must be an object.")
    return AnswerSchema(schema)  # pyright: ignore[reportUnknownArgumentType]
