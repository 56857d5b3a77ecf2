"""The log of addresses that are turned away: at once, then one line a minute for each."""

from __future__ import annotations

import pytest

from server.live.turned_away import KNOWN, TurnedAway


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_the_first_time_is_logged_at_once_and_the_rest_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = TurnedAway()
    for second in range(59):
        log.note("192.0.2.7", "429 address", float(second))
        log.sweep(float(second))
    assert lines(caplog) == ["turned away: 192.0.2.7: 429 address"]

    log.note("192.0.2.7", "1008 too many frames", 59.5)
    log.sweep(60.0)

    assert lines(caplog)[1:] == [
        "turned away in the last minute: 192.0.2.7: 429 address (58), 1008 too many frames (1)"
    ]


def test_an_address_that_was_quiet_for_a_minute_is_new_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = TurnedAway()
    log.note("192.0.2.7", "429 address", 0.0)
    log.sweep(60.0)
    log.note("192.0.2.7", "429 address", 61.0)

    assert lines(caplog) == ["turned away: 192.0.2.7: 429 address"] * 2


def test_a_flood_from_everywhere_is_a_bounded_log(caplog: pytest.LogCaptureFixture) -> None:
    log = TurnedAway()
    for number in range(KNOWN + 500):
        log.note(f"address {number}", "503 full", 0.0)

    assert len(lines(caplog)) == KNOWN + 1
    assert lines(caplog)[-1] == "turned away: other addresses: 503 full"
    log.close()
    assert lines(caplog)[-1] == "turned away in the last minute: other addresses: 503 full (499)"
