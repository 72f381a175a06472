"""The docs that are made from the code are what the code would make."""

import re
from pathlib import Path

import pytest

from gemcli.errors import GemError
from gemcli.exit_codes import EXIT_CODES
from tests.make_docs import DOCS, PAGES

ROOT = DOCS.parent


@pytest.mark.parametrize("name", PAGES)
def test_made_docs_have_not_drifted(name: str) -> None:
    made = PAGES[name]()
    assert (DOCS / name).read_text(encoding="utf-8") == made, "run: python -m tests.make_docs"


def test_every_error_has_a_documented_exit_code() -> None:
    def family(kind: type[GemError]) -> list[type[GemError]]:
        return [kind, *(each for child in kind.__subclasses__() for each in family(child))]

    assert {kind.exit_code for kind in family(GemError)} <= set(EXIT_CODES)


@pytest.mark.parametrize("page", [*ROOT.glob("*.md"), *DOCS.glob("*.md")], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
