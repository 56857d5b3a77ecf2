"""Reads docs/hosting.md (its sections, commands and tables) and compose.fleet.yaml."""

from __future__ import annotations

import re
import textwrap

from tests.support.serving import ROOT

FOLDER = ROOT / "docs" / "hosting"


def section(title: str) -> str:
    """The text under a heading."""
    _, found, rest = (ROOT / "docs" / "hosting.md").read_text().partition(f"\n## {title}\n")
    assert found, title
    return rest.partition("\n## ")[0]


def commands(title: str) -> list[str]:
    """The command lines of a section, in order."""
    return [line.strip() for line in section(title).splitlines() if line.startswith("    ")]


def table(title: str) -> list[list[str]]:
    """The rows of the section's first table, without the head."""
    rows = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]


def changed(text: str, changes: dict[str, str]) -> str:
    """The text with some words replaced. Each of them must occur."""
    for word, other in changes.items():
        assert word in text, f"there is no {word!r} any more"
        text = text.replace(word, other)
    return text


def config(name: str) -> str:
    """A configuration in compose.fleet.yaml, as the container would get it."""
    text = (FOLDER / "compose.fleet.yaml").read_text().partition("\nconfigs:\n")[2]
    found = re.search(rf"^  {name}:\n    content: \|\n((?:      .*\n|\n)+)", text, re.MULTILINE)
    assert found is not None
    return textwrap.dedent(found[1]).replace("$$", "$")
