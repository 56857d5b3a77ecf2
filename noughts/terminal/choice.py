"""What somebody would like to play: the game, against whom, at which level, on which side.

The last choice is kept in a file, so that the next game is one key away.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from noughts.games import game_name, game_rule
from noughts.terminal.styled import Line, Span, line, wrap
from noughts.terminal.words import LEVELS

SIDES = {"X": "X, you begin", "O": "O, you go second", "any": "either"}
AGAINST = {
    "computer": "the computer",
    "here": "somebody at this keyboard",
    "friend": "a friend, by link",
    "anyone": "whoever comes",
}
ROWS = {"variant": "Game", "against": "Against", "level": "Level", "side": "Side"}
HINTS = "Enter play · arrows change · q quit"


@dataclass(frozen=True)
class Choice:
    variant: str = "3x3"
    against: str = "computer"
    level: str = "medium"
    side: str = "X"


@dataclass(frozen=True)
class Offer:
    """What can be chosen: whom to play against, and each game with its levels, weakest first."""

    against: Sequence[str]
    levels: Mapping[str, Sequence[str]]

    def options(self, choice: Choice, row: str) -> list[str]:
        match row:
            case "variant":
                return list(self.levels)
            case "against":
                return list(self.against)
            case "level":
                return list(self.levels[choice.variant])
            case _:
                return list(SIDES)

    def rows(self, choice: Choice) -> list[str]:
        """The rows that mean something with this choice."""
        unused = {"computer": set(), "friend": {"level"}}.get(choice.against, {"level", "side"})
        return [row for row in ROWS if row not in unused and len(self.options(choice, row)) > 1]

    def fit(self, choice: Choice) -> Choice:
        """The nearest choice that is on offer. The strongest level is called by two names."""
        for row in ROWS:
            options = self.options(choice, row)
            if getattr(choice, row) not in options:
                is_top = row == "level" and choice.level in ("perfect", "best")
                choice = replace(choice, **{row: options[-1 if is_top else 0]})
        return choice


@dataclass(frozen=True)
class Menu:
    """A choice being made. `row`: the one that left and right change."""

    offer: Offer
    choice: Choice
    row: str = "variant"

    def press(self, key: str) -> Menu:
        rows = self.offer.rows(self.choice)
        at = rows.index(self.row) if self.row in rows else 0
        match key:
            case "up" | "down" | "tab":
                return replace(self, row=rows[(at + (-1 if key == "up" else 1)) % len(rows)])
            case "left" | "right":
                options = self.offer.options(self.choice, rows[at])
                index = options.index(getattr(self.choice, rows[at]))
                index = (index + (1 if key == "right" else -1)) % len(options)
                changed = replace(self.choice, **{rows[at]: options[index]})
                return replace(self, row=rows[at], choice=self.offer.fit(changed))
            case _:
                return self

    def draw(self, width: int, height: int) -> list[Line]:
        lines = [line("Noughts", "bold"), line("")]
        for row in self.offer.rows(self.choice):
            is_here = row == self.row
            value = _named(row, getattr(self.choice, row))
            shown = f"‹ {value} ›" if is_here else f"  {value}"
            heading = Span(f"{'▸' if is_here else ' '} {ROWS[row]:<9}", "" if is_here else "dim")
            lines.append([heading, Span(shown, "bold" if is_here else "")])
        about = wrap(_about(self.row, self.choice), width)
        tail = [line(""), *(line(text, "dim") for text in about), line("")]
        lines += [*tail, *(line(text, "dim") for text in wrap(HINTS, width))]
        return lines[:height]


def _named(row: str, value: str) -> str:
    match row:
        case "variant":
            return game_name(value)
        case "against":
            return AGAINST[value]
        case "level":
            return value.capitalize()
        case _:
            return SIDES[value]


def _about(row: str, choice: Choice) -> str:
    if row == "level":
        return LEVELS.get(choice.level, "")
    return game_rule(choice.variant)


# -------------------------------------------------------------------------------- what is kept


def state_folder() -> Path:
    """Where programs of this user keep what is neither a setting nor a cache."""
    given = os.environ.get("XDG_STATE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state"
    return base / "noughts"


def token_file(page: str) -> Path:
    """Where the token for a server is kept, so that a seat is still ours tomorrow.

    >>> token_file("https://example.org:8443").name
    'token-example.org-8443'
    """
    return state_folder() / f"token-{re.sub(r'[^A-Za-z0-9.]+', '-', page.partition('://')[2])}"


def recall() -> Choice:
    """The last choice; the first one ever if none is kept, or if it cannot be read."""
    with suppress(OSError, ValueError, TypeError):
        kept = json.loads((state_folder() / "choice.json").read_text(encoding="utf-8"))
        choice = Choice(**kept)
        if all(isinstance(value, str) for value in asdict(choice).values()):
            return choice
    return Choice()


def keep(choice: Choice) -> None:
    """Keep a choice for the next time. It is no harm if that fails."""
    with suppress(OSError):
        state_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        file = state_folder() / "choice.json"
        file.write_text(json.dumps(asdict(choice)) + "\n", encoding="utf-8")
