"""`.env` files: their syntax, where they are looked for, and what a project's file may not say."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][\w.]*)[ \t]*=[ \t]*
        (?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>[^']*)'|`(?P<back>[^`]*)`|(?P<bare>[^\r\n#]*))""",
    re.MULTILINE | re.VERBOSE,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
MAX_BYTES = 1024 * 1024

# What decides where credentials go, whose files are read or which code runs is not for a project to say.
_STEERING = re.compile(
    r".*(_BASE_URL|_ENDPOINT|_PROXY|_CERT_FILE|_CERT_DIR|_CA_BUNDLE|_CA_CERTS)$|(HTTP|HTTPS|ALL|NO)_PROXY$"
    r"|(PYTHON|LD_|DYLD_|GIT_|XDG_|OTEL_|GEMINI_TELEMETRY|PERL5|RUBY|NODE_|BASH_|GEMINI_CLI_|CLOUDSDK_|GCE_)"
    r"|(HOME|USERPROFILE|APPDATA|PATH|IFS|ENV|SHELL|SHELLOPTS|EDITOR|VISUAL|PAGER|BROWSER|TMPDIR|TEMP|TMP)$"
    r"|(GOOGLE_APPLICATION_CREDENTIALS|GEMINI_SYSTEM_MD|GEMINI_WRITE_SYSTEM_MD|GEMINI_SANDBOX|SANDBOX)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DotEnv:
    """`refused` are variables that a project's file set and may not."""

    path: Path
    values: Mapping[str, str]
    refused: tuple[str, ...] = ()


def parse_dotenv(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _LINE.finditer(text):
        double = line["double"]
        if double is not None:
            value = re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), double, flags=re.DOTALL)
        elif line["bare"] is not None:
            value = line["bare"].strip()
        else:
            value = line["single"] if line["single"] is not None else line["back"]
        if "\0" not in value:  # no environment can hold it
            found[line["name"]] = value
    return found


def read_dotenv(path: Path) -> dict[str, str] | None:
    """The file's variables; None when there is no such file or it cannot be read."""
    try:
        if not path.is_file():  # a FIFO would make us wait
            return None
        with path.open("rb") as file:
            return parse_dotenv(file.read(MAX_BYTES).decode("utf-8-sig", "replace"))
    except OSError:
        return None


def find_project_env(project: Path, home: Path, ignored: set[str]) -> DotEnv | None:
    """The nearest file from the project upwards: `.gemini/.env` before `.env`. The user's own is not a project's."""
    for path in _candidates(project, home):
        values = read_dotenv(path)
        if values is not None:
            refused = tuple(name for name in values if _STEERING.match(name))
            kept = {name: value for name, value in values.items() if name not in refused and name not in ignored}
            return DotEnv(path, kept, refused)
    return None


def find_user_env(home: Path, *, alone: bool) -> DotEnv | None:
    """`~/.gemini/.env`; when no project has a file either, `~/.env` may stand for it."""
    paths = (home / ".gemini" / ".env", home / ".env") if alone else (home / ".gemini" / ".env",)
    for path in paths:
        values = read_dotenv(path)
        if values is not None:
            return DotEnv(path, values)
    return None


def _candidates(project: Path, home: Path) -> Iterator[Path]:
    for folder in (project, *project.parents):
        if folder == home:
            return
        if folder != project and _is_strangers(folder, project):
            continue
        yield folder / ".gemini" / ".env"
        yield folder / ".env"


def _is_strangers(folder: Path, project: Path) -> bool:
    """A folder above the project that others can write to, such as /tmp, speaks for nobody."""
    try:
        above, below = folder.stat(), project.stat()
    except OSError:
        return True
    return above.st_uid not in (below.st_uid, 0) or bool(above.st_mode & 0o002)
