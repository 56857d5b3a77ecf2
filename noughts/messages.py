"""Every message on the socket, in both directions. docs/protocol.md says what each one means."""

from __future__ import annotations

from enum import IntEnum


class Close(IntEnum):
    """Why a socket was closed."""

    DONE = 1000
    BROKEN_FRAMING = 1002
    NOT_TEXT = 1003
    NOT_UTF8 = 1007
    POLICY = 1008
    TOO_LARGE = 1009
    OUR_FAULT = 1011
    RESTARTING = 1012
