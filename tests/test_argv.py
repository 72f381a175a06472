"""The command line: what is a flag, what is a value, what is a word."""

import pytest

from gemcli.argv import read_arguments, split_list
from gemcli.errors import InputError, UsageError
from gemcli.flags import BY_SHORT, FLAGS, SUBCOMMANDS, Takes
from gemcli.help import help_text
from gemcli.kinds import ApprovalMode, OutputFormat
from gemcli.options import Options, parse


@pytest.mark.parametrize(
    ("argv", "options"),
    [
        (["-p", "hi"], Options(prompt="hi")),
        (["-phi"], Options(prompt="hi")),
        (["-p=hi"], Options(prompt="hi")),
        (["--prompt", "hi"], Options(prompt="hi")),
        (["--prompt=hi"], Options(prompt="hi")),
        (["--prompt="], Options(prompt="")),
        (["-p", "a", "-p", "b"], Options(prompt="a\n\nb")),
        (["-p", "--yolo"], Options(prompt="--yolo")),
        (["-p", "--"], Options(prompt="--")),
        (["-p", ""], Options(prompt="")),
        (["hello", "there"], Options(words=("hello", "there"))),
        (["--", "--yolo", "-p", "--"], Options(words=("--yolo", "-p", "--"))),
        (["-5", "degrees", "-"], Options(words=("-5", "degrees", "-"))),
        (["say", "-p", "x", "hi"], Options(prompt="x", words=("say", "hi"))),
        (["-m", "a", "-m", "b", "x"], Options(model="b", words=("x",))),
        (["-o", "json", "x"], Options(output_format=OutputFormat.JSON, words=("x",))),
        (["--outputFormat", "json", "x"], Options(output_format=OutputFormat.JSON, words=("x",))),
        (["--approvalMode=plan", "x"], Options(approval_mode=ApprovalMode.PLAN, words=("x",))),
        (["-dy", "x"], Options(debug=True, approval_mode=ApprovalMode.YOLO, words=("x",))),
        (["-dphi"], Options(debug=True, prompt="hi")),
        (["-s", "x"], Options(sandbox=True, words=("x",))),
        (["--no-sandbox", "x"], Options(sandbox=False, words=("x",))),
        (["--sandbox=false", "x"], Options(sandbox=False, words=("x",))),
        (["--yolo", "--no-yolo", "x"], Options(words=("x",))),
        (["--noSandbox", "x"], Options(sandbox=False, words=("x",))),
        (
            ["--skip-trust", "--ignore-env", "--raw-output", "x"],
            Options(skip_trust=True, ignore_env=True, raw_output=True, words=("x",)),
        ),
        (["undo", "the", "last", "edit"], Options(words=("undo", "the", "last", "edit"))),
        (["mcp", "servers", "fail"], Options(words=("mcp", "servers", "fail"))),
        (["fix", "mcp"], Options(words=("fix", "mcp"))),
        (["--version"], Options(show_version=True, show_help=True)),
        (["x", "-h"], Options(show_help=True)),
    ],
)
def test_what_is_understood(argv: list[str], options: Options) -> None:
    assert parse(argv) == options


@pytest.mark.parametrize(
    "argv",
    [
        ["--frobnicate"],
        ["-q"],
        ["-p"],
        ["--model"],
        ["-o", "xml"],
        ["--approval-mode", "maybe"],
        ["--yolo=perhaps"],
        ["--no-prompt", "x"],
        ["-y", "--approval-mode", "plan"],
        ["-p", "x", "-i", "y"],
        ["--resume", "--session-id", "x"],
    ],
)
def test_what_is_wrong(argv: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(argv)


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag.later], ids=lambda flag: flag.name)
def test_flags_of_later_features_say_so(flag) -> None:
    with pytest.raises(InputError, match="not here yet"):
        parse([f"--{flag.name}", *(["x"] if flag.takes is not Takes.NOTHING else []), "--", "hi"])


@pytest.mark.parametrize(
    "argv",
    [[name] for name in SUBCOMMANDS]
    + [[name, "--debug"] for name in SUBCOMMANDS]
    + [[name, verb, "--anything"] for name, verbs in SUBCOMMANDS.items() for verb in verbs],
)
def test_subcommands_of_later_features_say_so(argv: list[str]) -> None:
    for before in ([], ["-d"], ["-m", "x"]):
        with pytest.raises(InputError, match="not here yet"):
            parse([*before, *argv])


def test_a_flag_with_an_optional_value_takes_no_flag_for_it() -> None:
    found = read_arguments(["-r", "-p", "x", "-w", "tree", "--resume=7"])
    assert found.all("resume") == ["", "7"]
    assert (found.last("worktree"), found.last("prompt")) == ("tree", "x")


def test_lists() -> None:
    found = read_arguments(["--policy", "a, b", "--policy=c,", "-e", "none"])
    assert split_list(found.all("policy")) == ["a", "b", "c"]


def test_every_flag_is_in_the_help() -> None:
    text = help_text()
    for flag in FLAGS:
        assert flag.hidden or f"--{flag.name}" in text
    assert len(BY_SHORT) == len([flag for flag in FLAGS if flag.short])
    assert max(len(line) for line in text.splitlines()) <= 100
