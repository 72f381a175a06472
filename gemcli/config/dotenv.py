"""`.env` files: their syntax, where they are looked for, and what a project's file may not say."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(
    r"""^[^\S\n]*(?:export[^\S\n]+)?(?P<name>[\w.-]+)(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)
        (?:"(?P<double>(?:\\"|[^"])*)"|'(?P<single>(?:\\'|[^'])*)'|`(?P<back>(?:\\`|[^`])*)`|(?P<bare>[^\n#]*))""",
    re.MULTILINE | re.VERBOSE,
)
MAX_BYTES = 1024 * 1024

# What decides where credentials go, whose files are read or which code runs is not for a project to say.
_STEERING = {
    "where requests go": r".*_BASE_URL|.*_ENDPOINT|.*_?PROXY|GCE_.*|RES_OPTIONS|GOOGLE_EXTERNAL_ACCOUNT_.*|NETRC",
    "whom we believe": r".*_CERT_FILE|.*_CERT_DIR|.*_CA_BUNDLE|.*_CA_CERTS|OPENSSL_.*|SSLKEYLOGFILE",
    "whose files count": r"HOME|USERPROFILE|APPDATA|XDG_.*|CLOUDSDK_.*|GEMINI_CLI_.*|GOOGLE_APPLICATION_CREDENTIALS"
    r"|TMPDIR|TEMP|TMP|ZDOTDIR",
    "what runs": r"PYTHON.*|LD_.*|DYLD_.*|GIT_.*|PERL5.*|RUBY.*|NODE_.*|BASH_.*|JAVA_TOOL_OPTIONS|GCONV_PATH"
    r"|GLIBC_TUNABLES|PATH|IFS|ENV|SHELL|SHELLOPTS|PROMPT_COMMAND|EDITOR|VISUAL|.*PAGER|BROWSER|LESSOPEN|SSH_ASKPASS"
    r"|DOCKER_HOST|SUDO_.*",
    "what we are told and tell": r"GEMINI_SYSTEM_MD|GEMINI_WRITE_SYSTEM_MD|GEMINI_SANDBOX.*|.*SANDBOX.*"
    r"|SEATBELT_PROFILE|OTEL_.*|GEMINI_TELEMETRY.*",
}
_REFUSED = re.compile("|".join(_STEERING.values()), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DotEnv:
    """`refused` are variables that a project's file set and may not."""

    path: Path
    values: Mapping[str, str]
    refused: tuple[str, ...] = ()


def parse_dotenv(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _LINE.finditer(text.replace("\r\n", "\n").replace("\r", "\n")):
        double = line["double"]
        if double is not None:
            value = double.replace("\\n", "\n").replace("\\r", "\r")
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


def find_project_env(
    project: Path, home: Path, ignored: set[str], is_trusted: Callable[[Path], bool] = lambda folder: True
) -> DotEnv | None:
    """The nearest file from the project upwards: `.gemini/.env` before `.env`. The user's own is not a project's, and
    a folder above that is not trusted, or that everybody can write to, is passed over."""
    for folder in _folders(project, home, is_trusted):
        for path in (folder / ".gemini" / ".env", folder / ".env"):
            values = read_dotenv(path)
            if values is not None:
                refused = tuple(name for name in values if _REFUSED.fullmatch(name))
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


def _folders(project: Path, home: Path, is_trusted: Callable[[Path], bool]) -> Iterator[Path]:
    home = home.resolve()
    for folder in (project, *project.parents):
        if folder.resolve() == home:
            return
        if folder == project or (is_trusted(folder) and not _is_strangers(folder, project)):
            yield folder


def _is_strangers(folder: Path, project: Path) -> bool:
    """Others can write to it, as to /tmp: it speaks for nobody."""
    try:
        above, below = folder.stat(), project.stat()
    except OSError:
        return True
    return above.st_uid not in (below.st_uid, 0) or bool(above.st_mode & 0o002)
