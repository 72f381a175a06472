"""Reads a command line: flags with their values, and the words that are left.

Prompts are free text, and free text may look like a flag. So a flag that takes a value takes the next word whatever
it is, and nothing after `--` is a flag; argparse can promise neither.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gemcli.errors import UsageError
from gemcli.flags import BY_NAME, BY_SHORT, SUBCOMMANDS, Flag, Takes

_HELP = "Run 'gemcli --help' for what is understood."
_CAPITAL = re.compile(r"(?<!^)([A-Z])")
_YES, _NO = ("true", "1"), ("false", "0")


@dataclass(slots=True)
class Arguments:
    """Switches that were turned on or off, values by flag name in the order they came, and the other words."""

    switches: dict[str, bool] = field(default_factory=dict[str, bool])
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    words: list[str] = field(default_factory=list[str])
    subcommand: str = ""

    def has(self, name: str) -> bool:
        return name in self.values or self.switches.get(name, False)

    def all(self, name: str) -> list[str]:
        return self.values.get(name, [])

    def last(self, name: str) -> str | None:
        return self.values[name][-1] if name in self.values else None


def read_arguments(argv: Sequence[str]) -> Arguments:
    found = Arguments()
    rest = deque(argv)
    while rest:
        word = rest.popleft()
        if word == "--":
            found.words += rest
            break
        if not found.words and is_subcommand(word, rest[0] if rest else None):
            found.subcommand = word
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            flag, is_off = _long_flag(name)
            if is_off:
                found.switches[flag.name] = False
            else:
                _take(found, flag, value if equals else None, rest)
        elif word.startswith("-") and len(word) > 1 and not word[1].isdigit():
            _take_short(found, word, rest)
        else:
            found.words.append(word)
    return found


def is_subcommand(word: str, following: str | None) -> bool:
    """A first word is one only if nothing, a flag or one of its verbs follows: `undo the last edit` is a prompt."""
    if word not in SUBCOMMANDS:
        return False
    return following is None or following.startswith("-") or following in SUBCOMMANDS[word]


def split_list(values: Sequence[str]) -> list[str]:
    """The items of a flag that takes a list."""
    return [item for value in values for item in _items(value)]


def _items(value: str) -> Iterator[str]:
    return (item.strip() for item in value.split(",") if item.strip())


def _long_flag(name: str) -> tuple[Flag, bool]:
    """The flag of this name, and whether it is turned off by a `no-` before it."""
    plain = _CAPITAL.sub(r"-\1", name).lower()  # camelCase is understood, as in the original
    if flag := BY_NAME.get(plain):
        return flag, False
    switch = BY_NAME.get(plain.removeprefix("no-"))
    if switch is None or switch.takes is not Takes.NOTHING:
        raise UsageError(f"There is no flag --{name}.", _HELP)
    return switch, True


def _take_short(found: Arguments, word: str, rest: deque[str]) -> None:
    """`-p x`, `-px`, `-p=x`, and several in one word: `-dy`."""
    letters = word[1:]
    while letters:
        flag = BY_SHORT.get(letters[0])
        if flag is None:
            raise UsageError(f"There is no flag -{letters[0]} (in {word}).", _HELP)
        letters = letters[1:]
        if flag.takes is not Takes.NOTHING and letters:
            _take(found, flag, letters.removeprefix("="), rest)
            return
        _take(found, flag, None, rest)


def _take(found: Arguments, flag: Flag, value: str | None, rest: deque[str]) -> None:
    match flag.takes:
        case Takes.NOTHING:
            _switch(found, flag, value)
            return
        case Takes.VALUE | Takes.LIST:
            if value is None:
                if not rest:
                    raise UsageError(f"--{flag.name} needs a value.", _HELP)
                value = rest.popleft()
        case Takes.MAYBE:
            if value is None:
                value = rest.popleft() if rest and not rest[0].startswith("-") else ""
    if flag.choices and value not in flag.choices:
        raise UsageError(f"--{flag.name} can be {', '.join(flag.choices)}; not {value!r}.", _HELP)
    found.values.setdefault(flag.name, []).append(value)


def _switch(found: Arguments, flag: Flag, value: str | None) -> None:
    """On, or off by `--no-NAME` or `--NAME=false`."""
    if value is not None and value.lower() not in (*_YES, *_NO):
        raise UsageError(f"--{flag.name} takes no value.", _HELP)
    found.switches[flag.name] = value is None or value.lower() in _YES
