"""Writes the docs that are made from the code: python -m tests.make_docs"""

import json
from pathlib import Path
from typing import Any

from gemcli.config.catalogue import CATALOGUE
from gemcli.config.old_keys import OLD_KEYS
from gemcli.config.setting import Setting, State
from gemcli.exit_codes import EXIT_CODES
from gemcli.flags import SECTIONS, Flag

DOCS = Path(__file__).resolve().parent.parent / "docs"

SETTINGS_HEAD = """# Settings

<!-- Made from the code by `python -m tests.make_docs`; a test holds it. -->

Settings are JSON; comments and trailing commas are allowed, unknown keys are kept. `$NAME`, `${NAME}` and
`${NAME:-otherwise}` inside texts are filled in from the environment; a variable that is not set stays as it is written.

## Where they come from

Each place wins over those before it:

1. the defaults below
2. `/etc/gemini-cli/system-defaults.json` (or `GEMINI_CLI_SYSTEM_DEFAULTS_PATH`)
3. `~/.gemini/settings.json`; `GEMINI_CLI_HOME` takes the place of `~`
4. `.gemini/settings.json` in the folder where gemcli starts, if that folder is trusted
5. `/etc/gemini-cli/settings.json` (or `GEMINI_CLI_SYSTEM_SETTINGS_PATH`)
6. the environment: `GEMINI_MODEL`, `GEMINI_SANDBOX`
7. flags

(macOS: `/Library/Application Support/GeminiCli`, Windows: `C:\\ProgramData\\gemini-cli`; not tried.)
`gemcli -d` says for each setting who set it. A file that is not valid JSON ends the run with exit code 52 and names the
line and column. A value of the wrong type is said and passed over; the key falls back.

## `.env` files

The nearest `.gemini/.env` or `.env`, from the folder upwards, is read where the folder that holds it is trusted; then `~/.gemini/.env`
(or `~/.env`, where there is neither of the others). Only variables that are not set yet are set. A folder's file cannot
set what decides where credentials go, whose files are read or which code runs: base URLs, the home folder, proxies,
certificates, `PYTHON*`, `LD_*`, `GIT_*` and their like; it is said when it tries. A folder above that everybody can write
to, such as `/tmp`, is passed over.

## Trust

What a folder brings along is read only if you trust it: its settings, its `.env`, its context files and everything under
`.gemini/`. A folder that holds none of these needs no trust. `~/.gemini/trustedFolders.json` (or
`GEMINI_CLI_TRUSTED_FOLDERS_PATH`) says which folders are trusted:

```json
{ "/home/me/project": "TRUST_FOLDER", "/home/me/work/one": "TRUST_PARENT", "/home/me/work/bad": "DO_NOT_TRUST" }
```

The most particular entry counts. `--skip-trust` or `GEMINI_CLI_TRUST_WORKSPACE=true` trusts the folder for one run;
`security.folderTrust.enabled: false` in your own settings switches the question off. A headless run in a folder that is not
trusted ends with exit code 55 and names what was found.
"""

HEADLESS_HEAD = """# gemcli in scripts

<!-- Made from the code by `python -m tests.make_docs`; a test holds it. -->

    gemcli -p "What does this error mean?" < error.log
    gemcli -p "List three risks" -o json | jq -r .response

## The prompt

Piped input (8 MB at most), words and `-p` are joined in this order, with a blank line between; words are joined with
blanks, several `-p` with a blank line. With `-p`, the first byte of a pipe is awaited for half a second;
without it, the pipe is read to its end. `-p` takes the next word whatever it looks like, and nothing after `--` is a flag.
A first word is a subcommand only if nothing, a flag or one of its verbs follows.

## Output

Standard output carries the declared format and nothing else; everything meant for people goes to standard error. Terminal
control sequences in the model's text are taken out (`--raw-output` leaves them in). Everything is written before the
program ends, however slow the reader is.

- **text**: the model's words, with a newline at the end. On a terminal they appear as they come. Elsewhere the words of an
  attempt are held until the attempt has held good: what a retry withdraws is never printed. When the last attempt fails,
  its words are printed before the error.
- **json**: one object at the end; [its schema](schemas/json.schema.json). `response` is the text of the last answer. When
  the run fails, standard output stays empty and standard error ends with one object
  ([schema](schemas/json-error.schema.json)); `error.code` is the HTTP status of the service, else the exit code. A command
  line that cannot be understood is said in plain words in every format.
- **stream-json**: one event a line, as it happens; [the schema of a line](schemas/stream-json.schema.json).

`tokens.input` is `prompt` less `cached`. `stats.cost` is an estimate from an offline price list: `prices_of` names it,
`usd` is null with a `reason` where a price is not known, and `billing.prices` in the settings can name prices.
A failed attempt is announced on standard error: `Attempt 1 failed: … Retrying after 1951ms...`. When the service fails for
good, a report without secrets is left in the folder for temporary files: `Full report available at: …`.

## Events of stream-json

Every event has `type` and `timestamp`. `init` comes first, `result` last; a run that could not begin has only `result`.
"""

HEADLESS_TAIL = """
## Signals

SIGINT ends a run with 130, SIGTERM and SIGHUP with 143, from the moment the interpreter is up; what was said by then is
printed, and stream-json ends with a `result`. A signal that was ignored when gemcli was started stays ignored. When the
reader of standard output goes away, the run ends quietly with 0; when standard output cannot be written (a full disk),
with 1.

## Answers of a given shape

`--output-schema FILE`: the final answer is one JSON value that the JSON schema in the file allows. A code fence around it is
taken away; an answer that does not fit is sent back once; then the run ends with 1 and `Failed to parse Gemini response`, with
the raw text where the format has a place for it. Nothing of the answer is printed before it has been judged.

## How much a run may use

`--budget USD`, `--max-tokens N` and `--max-turns N` end a run with 56 before the next question to the model once the limit is
reached; that it is near (four fifths) is said. Summaries and other side calls count. `model.maxSessionTurns` ends it with 53.
A request that is larger than the model's window is compressed once; if that is not enough, the run ends with 42 and the
numbers, and nothing is sent. A model that goes round in circles is told once; the second time the run ends with 53.

## Recordings

`--record-responses FILE` writes down what the model says, with its timing and without credentials; `--fake-responses FILE` plays
it, at its own pace on a terminal and at once elsewhere, without an account and without a connection. A recording is a file of
JSON lines: the first is `{"recording": 1}`; then one line per answer, `{"method": "stream", "model": …, "chunks": [{"after":
seconds, "data": …}]}`, with `error` where the service failed. `generate` and `count` are the other methods. The lines that
Gemini CLI records (`{"method": "generateContentStream", "response": […]}`) are played as well. A recording is data: whatever
calls are in it pass the same questions as any others, so that one from a stranger can do nothing by itself. `gemcli --demo`
plays a bundled one in a throw-away project.

## Files that a prompt names

`@path` takes a file, a folder or a pattern along (`@"with blanks"`, `@with\\ blanks`): the text of text files, pictures, PDF,
sound and film as they are. What git or `.geminiignore` ignores stays out; a path that does not exist stays text, and that is
said.
"""


def settings_page() -> str:
    sections = [
        ("Settings that work", State.HONOURED),
        ("Not yet", State.LATER),
        ("Accepted without effect", State.INERT),
    ]
    pages = [SETTINGS_HEAD]
    for title, state in sections:
        rows = [_setting_row(setting) for setting in CATALOGUE if setting.state is state]
        pages.append("\n".join([f"## {title}\n", "| key | holds | default | |", "|---|---|---|---|", *rows]) + "\n")
    old = [f"| `{old}` | `{new}` |" for old, new in OLD_KEYS.items()]
    pages.append("\n".join(["## Old names\n", "Still understood:\n", "| old | now |", "|---|---|", *old]) + "\n")
    return "\n".join(pages)


def _setting_row(setting: Setting[Any]) -> str:
    default = json.dumps(setting.default) if setting.default != "" else ""
    return f"| `{setting.key}` | {setting.kind.words} | {f'`{default}`' if default else ''} | {setting.help} |"


def headless_page() -> str:
    flags = [_flag_row(flag) for section in SECTIONS.values() for flag in section if not flag.hidden]
    codes = [f"| {code} | {means} |" for code, means in EXIT_CODES.items()]
    return "\n".join(
        [
            HEADLESS_HEAD,
            "| type | fields |",
            "|---|---|",
            *_event_rows(),
            "",
            "`discard` in an `error` event: so many characters of assistant text, counted back from there, are void.",
            "",
            "## Exit codes\n",
            "| code | means |",
            "|---|---|",
            *codes,
            HEADLESS_TAIL,
            "## Flags\n",
            "| flag | |",
            "|---|---|",
            *flags,
            "",
        ]
    )


def _event_rows() -> list[str]:
    schema = json.loads((DOCS / "schemas" / "stream-json.schema.json").read_text(encoding="utf-8"))
    rows: list[str] = []
    for event in schema["oneOf"]:
        fields = event["properties"]
        names = [
            f"`{name}`"
            + ("" if name in event["required"] else "?")
            + (f" = `{_const(fields[name])}`" if _const(fields[name]) else "")
            for name in fields
            if name not in ("type", "timestamp")
        ]
        rows.append(f"| `{fields['type']['const']}` | {', '.join(names)} |")
    return rows


def _const(field: dict[str, Any]) -> str:
    return json.dumps(field["const"]) if "const" in field else ""


def _flag_row(flag: Flag) -> str:
    short = f"`-{flag.short}`, " if flag.short else ""
    value = f" {flag.value}" if flag.value else ""
    choices = f": {', '.join(flag.choices)}" if flag.choices else ""
    return f"| {short}`--{flag.name}{value}` | {flag.help}{choices}{' (not here yet)' if flag.later else ''} |"


PAGES = {"settings.md": settings_page, "headless.md": headless_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
