"""The exception that ends a connection: raised where the reason is found, caught by the socket."""

from __future__ import annotations

from noughts.messages import Close


class Closing(Exception):
    """The connection has to end with this close code."""

    def __init__(self, code: Close, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
