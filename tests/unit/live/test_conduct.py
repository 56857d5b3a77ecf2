"""The rate and the strikes of one peer, with the time passed in as a number."""

from __future__ import annotations

import pytest

from noughts.messages import Close
from server.live.conduct import Conduct
from server.live.limits import Limits
from server.wire.closing import Closing


def test_a_peer_may_send_a_burst_of_frames_and_then_at_its_rate() -> None:
    conduct = Conduct(Limits(commands_per_second=10, commands_at_once=2))

    assert [conduct.rate.take(5.0) for _ in range(3)] == [True, True, False]
    assert conduct.rate.take(5.11)


@pytest.mark.parametrize("rule", ["malformed", "too_fast"])
def test_one_strike_too_many_closes_with_1008(rule: str) -> None:
    conduct = Conduct(Limits(malformed_per_minute=3, too_fast_per_minute=3))
    strike = conduct.strike_malformed if rule == "malformed" else conduct.strike_too_fast

    strike(1.0)
    strike(2.0)
    with pytest.raises(Closing) as closing:
        strike(3.0)

    assert closing.value.code is Close.POLICY


def test_the_two_kinds_of_strikes_are_counted_apart() -> None:
    conduct = Conduct(Limits(malformed_per_minute=2, too_fast_per_minute=2))

    conduct.strike_malformed(1.0)
    conduct.strike_too_fast(1.0)
