"""Bytes from a terminal as names of keys: `a`, `5`, `enter`, `left`, `escape` …

An escape sequence can arrive in pieces, and Escape alone begins like one. So a caller that has had
nothing for a moment calls `flush`, and what is left over is what it looks like.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

CONTROLS = {
    "\r": "enter",
    "\n": "enter",
    " ": "space",
    "\t": "tab",
    "\x03": "interrupt",
    "\x04": "end of input",
    "\x0c": "redraw",
    "\x7f": "backspace",
    "\b": "backspace",
}
FINALS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "M": "enter"}
KEYPAD = dict(zip("pqrstuvwxy", "0123456789", strict=True))  # after ESC O
SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?<=>]*[ -/]*[@-~]|O.|\[\[.)", re.DOTALL)
UNFINISHED = re.compile(r"\x1b(?:\[[0-9;?<=>]*[ -/]*|O)?\Z")


class KeyReader:
    """Turns bytes into keys. What it does not know is left out."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._text = ""

    @property
    def waits(self) -> bool:
        """Whether bytes are left that may be the beginning of a sequence."""
        return bool(self._text)

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete with these bytes."""
        self._text += self._decode(data)
        keys = []
        while self._text and not UNFINISHED.match(self._text):
            keys.append(self._take())
        return [key for key in keys if key]

    def flush(self) -> list[str]:
        """The keys that the rest stands for if nothing follows."""
        rest, self._text = self._text, ""
        return ["escape"] if rest else []

    def _take(self) -> str:
        """Take one key from the front."""
        found = SEQUENCE.match(self._text)
        if found:
            self._text = self._text[found.end() :]
            return _sequence(found[0])
        char, self._text = self._text[0], self._text[1:]
        if char == "\x1b":
            return "escape"
        return CONTROLS.get(char, char if char.isprintable() else "")


def _sequence(text: str) -> str:
    if text.startswith("\x1bO") and text[2] in KEYPAD:
        return KEYPAD[text[2]]
    return {"~": {"1": "home", "4": "end"}.get(text[2:3], "")}.get(text[-1]) or FINALS.get(
        text[-1], ""
    )
