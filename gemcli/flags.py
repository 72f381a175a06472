"""Every flag of the command line, in the order in which help shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from gemcli.kinds import ApprovalMode, OutputFormat, ToolMode


class Takes(Enum):
    """What follows a flag."""

    NOTHING = auto()
    VALUE = auto()  # the next word, whatever it looks like
    MAYBE = auto()  # the next word, unless it is a flag
    LIST = auto()  # one or more, with commas or by repeating the flag


@dataclass(frozen=True, slots=True)
class Flag:
    """`later` names the feature that is not here yet: the flag parses, and ends the run with one line."""

    name: str
    help: str
    short: str = ""
    takes: Takes = Takes.NOTHING
    value: str = ""
    choices: Sequence[str] = ()
    later: str = ""
    hidden: bool = False


SECTIONS: dict[str, list[Flag]] = {
    "what to do": [
        Flag("prompt", "answer this prompt and exit; comes after piped input and words", "p", Takes.VALUE, "TEXT"),
        Flag(
            "prompt-interactive",
            "answer this prompt, then stay in the app",
            "i",
            Takes.VALUE,
            "TEXT",
            later="the interactive app",
        ),
        Flag("model", "a model's name, or auto, pro, flash, flash-lite", "m", Takes.VALUE, "NAME"),
        Flag("output-format", "how answers are printed (text)", "o", Takes.VALUE, "FORMAT", list(OutputFormat)),
        Flag(
            "include-directories",
            "folders that belong to the workspace, too",
            takes=Takes.LIST,
            value="DIRS",
        ),
        Flag("tools", "declare only these tools to the model", takes=Takes.LIST, value="NAMES"),
        Flag("tool-mode", "may, must or must not the model call tools", "", Takes.VALUE, "MODE", list(ToolMode)),
        Flag("output-schema", "the answer must be JSON that this JSON schema allows", "", Takes.VALUE, "FILE"),
        Flag("raw-output", "leave terminal escapes in the model's text"),
        Flag("accept-raw-output-risk", "the same, without the warning"),
    ],
    "how much": [
        Flag("budget", "stop before more than this is spent, in US dollars", "", Takes.VALUE, "USD"),
        Flag("max-tokens", "stop when so many tokens have been used", "", Takes.VALUE, "N"),
        Flag("max-turns", "stop when the model has answered so often", "", Takes.VALUE, "N"),
    ],
    "what is allowed": [
        Flag("approval-mode", "what is done without asking", "", Takes.VALUE, "MODE", list(ApprovalMode)),
        Flag("yolo", "the same as --approval-mode=yolo", "y"),
        Flag("sandbox", "run tools in a sandbox", "s"),
        Flag("skip-trust", "trust this folder for this run"),
        Flag("allowed-tools", "tools that need no question", takes=Takes.LIST, value="TOOLS", later="policy"),
        Flag("policy", "more policy files or folders", takes=Takes.LIST, value="PATHS", later="policy"),
        Flag("admin-policy", "more policy files of the administrator", takes=Takes.LIST, value="PATHS", later="policy"),
        Flag(
            "allowed-mcp-server-names",
            "the only MCP servers to start",
            takes=Takes.LIST,
            value="NAMES",
            later="MCP servers",
        ),
    ],
    "sessions": [
        Flag("resume", "go on with a session: latest, a number, an id", "r", Takes.MAYBE, "SESSION", later="sessions"),
        Flag("list-sessions", "list this project's sessions and exit", later="sessions"),
        Flag(
            "delete-session", "delete a session by number or id", takes=Takes.VALUE, value="SESSION", later="sessions"
        ),
        Flag("session-id", "give a new session this id", takes=Takes.VALUE, value="ID", later="sessions"),
        Flag("session-file", "begin with a recorded session", takes=Takes.VALUE, value="FILE", later="sessions"),
    ],
    "extensions and editors": [
        Flag("extensions", "the only extensions to load", "e", Takes.LIST, "NAMES", later="extensions"),
        Flag("list-extensions", "list the extensions and exit", "l", later="extensions"),
        Flag("worktree", "work in a new git worktree", "w", Takes.MAYBE, "NAME", later="worktrees"),
        Flag("acp", "speak the Agent Client Protocol on standard input and output", later="the Agent Client Protocol"),
        Flag("experimental-acp", "", later="the Agent Client Protocol", hidden=True),
        Flag("screen-reader", "plain lines for screen readers", later="the plain front end"),
    ],
    "trying and testing": [
        Flag("demo", "play a recorded session in a throw-away project; needs no account"),
        Flag("record-responses", "write the model's answers to this file", "", Takes.VALUE, "FILE"),
        Flag("fake-responses", "play the model's answers from this file", "", Takes.VALUE, "FILE"),
        Flag("fake-responses-non-strict", "the same", "", Takes.VALUE, "FILE", hidden=True),
    ],
    "looking inside": [
        Flag("debug", "say on standard error what is sent and where each setting comes from", "d"),
        Flag("ignore-env", "do not read the project's .env file", hidden=True),
        Flag("version", "print the version and exit", "v"),
        Flag("help", "print this help and exit", "h"),
    ],
}
SUBCOMMANDS: dict[str, Sequence[str]] = {
    "mcp": ("add", "remove", "list", "enable", "disable"),
    "extensions": (
        "install",
        "uninstall",
        "list",
        "update",
        "disable",
        "enable",
        "link",
        "new",
        "validate",
        "config",
    ),
    "skills": ("list", "enable", "disable", "install", "link", "uninstall"),
    "hooks": ("migrate",),
    "gemma": ("setup", "start", "stop", "status", "logs"),
}
"""Gemini CLI's subcommands with their verbs; none of them is here yet."""
FLAGS = [flag for section in SECTIONS.values() for flag in section]
BY_NAME = {flag.name: flag for flag in FLAGS}
BY_SHORT = {flag.short: flag for flag in FLAGS if flag.short}
