"""Where things are kept. Passed in, never read from globals."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    """`home` is the folder that holds `.gemini`; `project` is where gemcli was started."""

    home: Path
    project: Path

    @property
    def gemini(self) -> Path:
        return self.home / ".gemini"

    @property
    def user_settings(self) -> Path:
        return self.gemini / "settings.json"

    @property
    def oauth_creds(self) -> Path:
        return self.gemini / "oauth_creds.json"


def find_paths(env: Mapping[str, str], project: Path) -> Paths:
    """GEMINI_CLI_HOME takes the place of the home folder."""
    home = env.get("GEMINI_CLI_HOME") or env.get("HOME") or env.get("USERPROFILE")
    return Paths(home=Path(home) if home else _account_home(project), project=project)


def _account_home(fallback: Path) -> Path:
    try:
        return Path("~").expanduser().absolute()
    except RuntimeError:  # no HOME and no entry in the user database
        return fallback
