"""Where things are kept. Passed in, never read from globals."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SYSTEM = {
    "darwin": Path("/Library/Application Support/GeminiCli"),
    "win32": Path("C:\\ProgramData\\gemini-cli"),
}
NO_HOME = Path(os.devnull)
"""Nothing can be below it, so whatever is looked for there is not there."""


@dataclass(frozen=True, slots=True)
class Paths:
    """`home` is the folder that holds `.gemini`; `project` is where gemcli was started."""

    home: Path
    project: Path
    system_defaults: Path = Path("/etc/gemini-cli/system-defaults.json")
    system_settings: Path = Path("/etc/gemini-cli/settings.json")
    own_trusted_folders: Path | None = None

    @property
    def gemini(self) -> Path:
        return self.home / ".gemini"

    @property
    def user_settings(self) -> Path:
        return self.gemini / "settings.json"

    @property
    def trusted_folders(self) -> Path:
        return self.own_trusted_folders or self.gemini / "trustedFolders.json"

    @property
    def oauth_creds(self) -> Path:
        return self.gemini / "oauth_creds.json"

    @property
    def logs(self) -> Path:
        return self.gemini / "tmp" / "gemcli-logs"

    @property
    def workspace_settings(self) -> Path | None:
        """None in the home folder: what is there are the user's own settings."""
        path = self.project / ".gemini" / "settings.json"
        return None if self.project.resolve() == self.home.resolve() else path

    @property
    def project_folders(self) -> list[Path]:
        """The project and the folders above it, up to the one that git knows; without the home folder."""
        return self.project_folders_by((".git",))

    def project_folders_by(self, markers: Sequence[str]) -> list[Path]:
        """The same, up to the folder that holds one of these markers."""
        folders = (self.project, *self.project.parents)
        marked = (n for n, folder in enumerate(folders) if any(is_there(folder / marker) for marker in markers))
        top = next(marked, 0)
        home = self.home.resolve()
        return [folder for folder in folders[: top + 1] if folder.resolve() != home]


def find_paths(env: Mapping[str, str], project: Path) -> Paths:
    """GEMINI_CLI_HOME takes the place of the home folder. Without a home there are no files of the user's own: the
    folder we are in must never be taken for it."""
    names = (env.get("GEMINI_CLI_HOME"), env.get("HOME") or env.get("USERPROFILE") or _account_home())
    home = next((Path(name) for name in names if name and Path(name).is_absolute()), NO_HOME)
    system = _SYSTEM.get(sys.platform, Path("/etc/gemini-cli"))
    trusted = env.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    return Paths(
        home=home,
        project=project,
        system_defaults=Path(env.get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH") or system / "system-defaults.json"),
        system_settings=Path(env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or system / "settings.json"),
        own_trusted_folders=Path(trusted) if trusted else None,
    )


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; one that cannot be looked for is not there."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _account_home() -> str:
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):  # Windows, or a user without an entry
        return ""
