"""Text with styles, as lines that a terminal or a pipe can show.

A style is a few words, such as "x bold". Everything is drawn with box characters; `Look` says how
it is shown: with colour or without, as ASCII where the encoding has nothing better, or plainly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import combining, east_asian_width

CODES = {"bold": "1", "dim": "2", "reverse": "7"}
COLOURS = {"x": "36", "o": "35", "good": "32", "bad": "31", "warn": "33"}
RESET = "\x1b[0m"
BOX = "─│┼║═╬╲╱╳╭╮╰╯┌┐└┘‹›▸▼·–’×…"
ASCII = str.maketrans(dict(zip(BOX, [*"-|+|=+\\/X/\\\\/++++<>>v.-'x", "..."], strict=True)))


class Span(NamedTuple):
    text: str
    style: str = ""


Line = Sequence[Span]


class Look(NamedTuple):
    """How lines are shown. `styled`: whether escape codes may be written at all."""

    styled: bool = False
    colour: bool = False
    ascii: bool = False

    def show(self, line: Line, width: int | None = None) -> str:
        """One line as text, cut to `width` columns. Control characters never get through."""
        spans = [Span(self._safe(text), style) for text, style in line]
        if width is not None:
            spans = list(_cut(spans, width))
        if not self.styled:
            return "".join(span.text for span in spans).rstrip()
        return "".join(self._paint(span) for span in spans)

    def _safe(self, text: str) -> str:
        shown = "".join(char if char.isprintable() else "?" for char in text)
        return shown.translate(ASCII) if self.ascii else shown

    def _paint(self, span: Span) -> str:
        known = CODES | COLOURS if self.colour else CODES
        codes = [known[word] for word in span.style.split() if word in known]
        return f"\x1b[{';'.join(codes)}m{span.text}{RESET}" if codes else span.text


def line(text: str, style: str = "") -> Line:
    return [Span(text, style)]


def width_of(text: str) -> int:
    """The columns that a text takes in a terminal.

    >>> width_of("Ada"), width_of("愛")
    (3, 2)
    """
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _cut(spans: Iterable[Span], width: int) -> Iterable[Span]:
    for text, style in spans:
        room, kept = width, ""
        for char in text:
            room -= _columns(char)
            if room < 0:
                yield Span(kept, style)
                return
            kept += char
        width = room
        yield Span(kept, style)


def fit(text: str, width: int) -> str:
    """The text in exactly so many columns: padded, or cut with an ellipsis.

    >>> fit("Ada", 5), fit("Ada Lovelace", 5)
    ('Ada  ', 'Ada …')
    """
    spare = width - width_of(text)
    if spare >= 0:
        return text + " " * spare
    kept = "".join(span.text for span in _cut([Span(text)], width - 1))
    return fit(kept + "…", width)


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns, broken at spaces where there are any."""
    lines = [""]
    for word in re.findall(r"\S+\s*", text):
        if lines[-1] and width_of(lines[-1] + word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
        while width_of(lines[-1].rstrip()) > width:
            kept = "".join(span.text for span in _cut([Span(lines[-1])], width))
            lines[-1:] = [kept, lines[-1][len(kept) :]]
    return [each.rstrip() for each in lines]


class Canvas:
    """A sheet of so many columns and rows, on which text is put anywhere."""

    def __init__(self, width: int, height: int) -> None:
        self._rows = [[(" ", "")] * width for _ in range(height)]

    def put(self, row: int, column: int, text: str, style: str = "") -> None:
        for at, char in enumerate(text, column):
            self._rows[row][at] = (char, style)

    def put_lines(self, row: int, column: int, lines: Iterable[str], style: str = "") -> None:
        """Put several lines below each other. Spaces in them cover nothing."""
        for down, text in enumerate(lines):
            for right, char in enumerate(text):
                if char != " ":
                    self.put(row + down, column + right, char, style)

    def lines(self) -> list[Line]:
        return [
            [Span("".join(char for char, _ in run), style) for style, run in groupby(row, _style)]
            for row in self._rows
        ]


def _style(cell: tuple[str, str]) -> str:
    return cell[1]
