"""The one check that every fuzzer of requests shares."""

from __future__ import annotations

from typing import get_args

import pytest

from noughts.messages import Request
from server.core.commands import Reason
from server.wire import frames
from server.wire.requests import Malformed, read


def check_request(raw: bytes) -> None:
    """Check that `raw` is a request, malformed or not UTF-8, and that it can be answered."""
    try:
        request = read(raw)
    except Malformed as problem:
        frames.refused(problem.re, Reason.MALFORMED, problem.text)
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            raw.decode()
    else:
        assert isinstance(request, get_args(Request))
        frames.accepted(request.re)
