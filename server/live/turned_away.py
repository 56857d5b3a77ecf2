"""The log of addresses that are turned away: one line at once, then at most one a minute for each.

Memory is bounded: beyond `KNOWN` addresses, the others share one line. Nothing here reads the time.
Callers pass it in, in seconds.
"""

from __future__ import annotations

import logging
from collections import Counter

from server.live.limits import MINUTE

KNOWN = 1_000  # addresses
OTHERS = "other addresses"

log = logging.getLogger(__name__)


class _Quiet:
    """An address that was logged at `since`, and what has happened since then."""

    __slots__ = ("counts", "since")

    def __init__(self, since: float) -> None:
        self.since = since
        self.counts: Counter[str] = Counter()


class TurnedAway:
    def __init__(self) -> None:
        self._quiet: dict[str, _Quiet] = {}

    def note(self, address: str, why: str, now: float) -> None:
        """An address was turned away. `why` is one of a few fixed texts, never the peer's own."""
        if address not in self._quiet and len(self._quiet) >= KNOWN:
            address = OTHERS
        quiet = self._quiet.get(address)
        if quiet is None:
            self._quiet[address] = _Quiet(now)
            log.warning("turned away: %s: %s", address, why)
        else:
            quiet.counts[why] += 1

    def sweep(self, now: float) -> None:
        """Log what came in the last minute, and forget the rest. Call it every few seconds."""
        due = [(a, quiet) for a, quiet in self._quiet.items() if now - quiet.since >= MINUTE]
        for address, quiet in due:
            if not quiet.counts:
                del self._quiet[address]
                continue
            counts = ", ".join(f"{why} ({count})" for why, count in quiet.counts.most_common())
            log.warning("turned away in the last minute: %s: %s", address, counts)
            quiet.counts.clear()
            quiet.since = now

    def close(self) -> None:
        """Log what has not been logged."""
        self.sweep(float("inf"))
