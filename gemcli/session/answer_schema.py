"""Answers that must be JSON of a given shape."""

import asyncio
import json
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path
from typing import Any, cast

from gemcli.errors import InputError

_FENCED = re.compile(r"(`{3,}|~{3,})[^\n]*\n(.*)\1", re.DOTALL)
_INSTRUCTION = """# The form of your answer

Your final message must be one JSON value and nothing else: no words before or after it, no code fence. \
It must be valid under this JSON schema:

{schema}"""
PATIENCE = 10.0  # seconds for judging an answer
CORRECTION = (
    "That is not the JSON that was asked for: {problem} Send the corrected JSON value, whole, and nothing else."
)


class AnswerSchema:
    """A JSON schema, what the model is told of it, and the judge of what it sends."""

    def __init__(self, schema: Any) -> None:
        from jsonschema.exceptions import SchemaError
        from jsonschema.validators import validator_for
        from referencing import Registry
        from referencing.exceptions import Unresolvable

        try:
            kind: Any = validator_for(schema)
            kind.check_schema(schema)
        except (SchemaError, AttributeError, TypeError, RecursionError) as error:
            raise InputError(f"The output schema is not valid: {error}") from error
        self._validator = kind(schema, registry=cast("Any", Registry)())  # nothing is fetched
        self._schema = schema
        _check_references(schema)
        try:
            for _ in self._validator.iter_errors(None):
                pass
        except (Unresolvable, RecursionError) as error:
            raise InputError(f"The output schema refers to something that is not in it: {error}") from error
        self.instruction = _INSTRUCTION.format(schema=json.dumps(schema, ensure_ascii=False, indent=2))

    async def problem(self, text: str) -> str:
        """Why this text is not what was asked for; empty when it is.

        A schema with patterns is judged in a process of its own: a pattern can take for ever, and while Python matches
        it nothing else runs here, no signal either.
        """
        if not _has_patterns(self._schema):
            return self.judge(text)
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "gemcli.session.answer_schema", stdin=PIPE, stdout=PIPE, stderr=DEVNULL
        )
        try:
            async with asyncio.timeout(PATIENCE):
                said, _ = await child.communicate(json.dumps([self._schema, text]).encode())
        except TimeoutError:
            return f"the schema's patterns cannot be checked within {PATIENCE:.0f} seconds."
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        return said.decode() if child.returncode == 0 else "it cannot be judged."

    def judge(self, text: str) -> str:
        try:
            value: Any = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            return f"it cannot be read ({error})."
        try:
            fault = self._fault(value)
        except RecursionError:
            return "it is nested too deeply."
        return "" if fault is None else f"{fault.json_path}: {str(fault.message)[:500]}."

    def _fault(self, value: Any) -> Any:
        return next(iter(sorted(self._validator.iter_errors(value), key=lambda each: len(each.path))), None)


def _check_references(schema: Any) -> None:
    """A reference may point into the schema itself and nowhere else."""
    items: list[Any] = [schema]
    while items:
        item = items.pop()
        if isinstance(item, dict):
            fields = cast("dict[str, Any]", item)
            for name in ("$ref", "$dynamicRef", "$recursiveRef"):
                target = fields.get(name)
                if isinstance(target, str) and not target.startswith("#"):
                    raise InputError(f"The output schema refers to {target}; only references into itself are followed.")
            items.extend(fields.values())
        elif isinstance(item, list):
            items.extend(cast("list[Any]", item))


def unfenced(text: str) -> str:
    """Without the code fence that models like to put around JSON."""
    text = text.strip()
    found = _FENCED.fullmatch(text)
    return (found[2] if found else text).strip()


def _has_patterns(schema: Any) -> bool:
    text = json.dumps(schema)
    return '"pattern"' in text or '"patternProperties"' in text


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


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


if __name__ == "__main__":
    given, answer = json.load(sys.stdin)
    sys.stdout.write(AnswerSchema(given).judge(answer))
