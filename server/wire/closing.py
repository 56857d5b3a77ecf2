"""Why the server closes a socket: the close codes it sends, and the exception that carries one."""

from __future__ import annotations

NORMAL = 1000
PROTOCOL_ERROR = 1002
UNSUPPORTED_DATA = 1003
NOT_TEXT = 1007
POLICY_VIOLATION = 1008
TOO_BIG = 1009
OUR_FAULT = 1011
RESTARTING = 1012


class Closing(Exception):
    """The conversation ends with this close code."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
