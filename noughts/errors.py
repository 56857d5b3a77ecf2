"""What can go wrong for a program that plays. The text of each is a sentence for people."""

from __future__ import annotations


class Error(Exception):
    """A bad address, a damaged token file, or one of the two below."""


class Refused(Error):
    """The server has declined a command, and nothing has changed.

    `reason` is one of `noughts.messages.Reason`, or a newer one as plain text.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


class Unreachable(Error):
    """There is no connection. If it `is_final`, trying again would not help.

    `is_polite`: the server asks for patience, so the next attempt comes after seconds.
    """

    def __init__(self, text: str, *, is_final: bool = False, is_polite: bool = False) -> None:
        super().__init__(text)
        self.is_final = is_final
        self.is_polite = is_polite
