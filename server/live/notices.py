"""What the operator announces to everybody, on every node, until it is taken back.

A notice is a whole statement: each node repeats the newest that it knows, so a lost message or a
new node does no harm. To take a notice back is to state an empty one.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from server.live.nodes import Nodes, reader
from server.live.outbox import Outbox
from server.live.peers import Peers
from server.wire import frames

TOPIC = "notice"
LINGERS = 60_000  # ms that a notice stays after the restart that it announces was due


class Notice(msgspec.Struct):
    """`at`: when the server restarts, if it is about that. `since`: when it was announced."""

    text: str
    at: int | None
    since: int


NONE = Notice("", None, 0)
_read_notice = reader(Notice)


class Notices:
    """`current` is the newest notice; its text is empty if there is none."""

    def __init__(self, peers: Peers, nodes: Nodes, *, now: Callable[[], int]) -> None:
        self.current = NONE
        self._peers = peers
        self._nodes = nodes
        self._now = now
        nodes.listen(TOPIC, _read_notice, self._hear)

    def announce(self, text: str, at: int | None = None) -> None:
        """Send a notice to everybody, now and after their hello. An empty text takes it back."""
        since = max(self._now(), self.current.since + 1)  # newer than all before
        self._show(Notice(text, at if text else None, since))
        self.repeat()

    def show(self, outbox: Outbox) -> None:
        """Send the notice to a newcomer, if there is one that still holds."""
        if self.current.text:
            outbox.send(frames.notice(self.current.text, self.current.at))

    def lapse(self) -> None:
        """Take a notice back whose restart is long due. Call it every second."""
        at = self.current.at
        if at is not None and self._now() > at + LINGERS:
            self.announce("")

    def repeat(self) -> None:
        """State the notice to the other nodes again. Call it every few seconds."""
        if self.current is not NONE:
            self._nodes.publish(TOPIC, self.current)

    def _hear(self, _: str, notice: Notice) -> None:
        if notice.since > self.current.since:
            self._show(notice)

    def _show(self, notice: Notice) -> None:
        had_one, self.current = bool(self.current.text), notice
        if notice.text or had_one:
            self._peers.send(frames.notice(notice.text, notice.at))
