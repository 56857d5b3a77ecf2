"""Frames from a server that may be newer than this program. Knows no socket.

A type or a field that this version does not know is ignored.
"""

from __future__ import annotations

import logging
from typing import cast, get_args

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import Decoder

from noughts.messages import Frame, Refused, decode_frame
from noughts.shapes import Id, Reason

UNREADABLE = "unreadable"
TYPES = {str(kind.__struct_config__.tag) for kind in get_args(Frame)}

log = logging.getLogger("noughts")


class _Head(Struct):
    """What is read of a frame that is new to us."""

    type: str = ""
    re: Id = None
    reason: str = UNREADABLE
    text: str = "The answer cannot be read. A newer version of noughts is needed."


_head = Decoder(_Head)


def read_frame(data: bytes) -> Frame | None:
    """None if this version cannot know the frame.

    An answer is never lost: if it cannot be read, it is `Refused`.
    """
    try:
        return decode_frame(data)
    except ValidationError as problem:
        return _read_head(data, problem)
    except (DecodeError, UnicodeDecodeError) as problem:
        log.warning("a frame is ignored, because it is not JSON: %s", problem)
        return None


def _read_head(data: bytes, problem: ValidationError) -> Frame | None:
    try:
        head = _head.decode(data)
    except ValidationError:
        head = _Head()
    if head.re is not None:
        return Refused(head.re, cast(Reason, head.reason), head.text)
    if head.type in TYPES:
        log.warning("a frame %r is ignored, because it is new to us: %s", head.type, problem)
    return None
