"""Messages about a room are read as they were written."""

from __future__ import annotations

import msgspec
import pytest

from server.live.reports import Ask, Report, RoomMessage, Said, read_message
from tests.support.people import ADA, BO


@pytest.mark.parametrize("message", [Report([ADA.id], 3, {BO.id: 5}), Said(ADA, "hello", 7), Ask()])
def test_a_message_is_read_as_it_was_written(message: RoomMessage) -> None:
    assert read_message(msgspec.json.encode(("node", message))) == ("node", message)
