"""Who follows a room, and which players are present, here and on other nodes.

Presence is not history: none of this enters the log. Players are kept apart from spectators, so
that a move reaches the two players before a thousand spectators. The scheduler decides when each of
them is written to (`outbox.py`).

Each node that has the room awake tells the others who follows it there, in a `Report`: when that
changes, when another node is new, and again every few seconds, so that a lost report is replaced.
Somebody who watches on two nodes counts twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator

from server.core.events import Person, PlayerId
from server.core.room import Holder, RoomId, owner_of
from server.core.rules import MARKS, Mark
from server.live.outbox import Crowd, Outbox, offer
from server.live.reports import Report
from server.wire import frames

PRESENCE_EVERY = 1.0  # seconds between two presence frames of a room
FIRST_PRESENCE = 0.05  # seconds; long enough to collect several arrivals in one frame


REPORTED_FOR = 16_000  # ms for which a report counts; three may be lost


class Audience:
    """`since`: the earliest instant from which a player can count as absent.

    A socket may be *absent*: it does not answer, and counts for nobody's presence.
    `watchers` and `online` are as in the last presence frame; `on_presence` is called when they
    have changed. `on_report` gets the reports for other nodes. `empty_since`: since when nobody
    follows here, if nobody does.
    """

    __slots__ = (
        "_absent",
        "_elsewhere",
        "_loop",
        "_now",
        "_players",
        "_reported",
        "_room",
        "_seats",
        "_seen",
        "_sent_at",
        "_since",
        "_sockets",
        "_spectators",
        "_timer",
        "empty_since",
        "on_presence",
        "on_report",
        "online",
        "watchers",
    )

    def __init__(
        self, room: RoomId, seats: tuple[Holder, Holder], *, now: Callable[[], int], since: int
    ) -> None:
        self.on_presence: Callable[[], None] = lambda: None
        self.on_report: Callable[[Report], None] = lambda _: None
        self.watchers = 0
        self.online: list[Mark] = []
        self._room = room
        self._seats = seats
        self._now = now
        self._since = since
        self._loop = asyncio.get_running_loop()
        self._players: dict[Outbox, None] = {}
        self._spectators = Crowd(room)
        self._sockets: Counter[PlayerId] = Counter()  # without those that are absent
        self._absent: set[Outbox] = set()
        self.empty_since = now()
        self._seen: dict[PlayerId, int] = {}
        self._elsewhere: dict[str, tuple[int, Report]] = {}  # by node, with the time it came
        self._reported: Report | None = None  # what the other nodes have been told
        self._sent_at = -PRESENCE_EVERY
        self._timer: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        return bool(self._sockets) or bool(self._absent)

    def __iter__(self) -> Iterator[Outbox]:
        yield from tuple(self._players)
        yield from tuple(self._spectators)

    # ------------------------------------------------------------------------- coming and going

    def add(self, outbox: Outbox) -> None:
        """Show this peer every change from now on. Adding it again changes nothing."""
        if outbox in self._players or outbox in self._spectators:
            return
        player = _player(outbox)
        self._sockets[player] += 1
        self._place(outbox)
        self._send_presence_soon()

    def remove(self, outbox: Outbox) -> None:
        player = _player(outbox)
        if outbox in self._players:
            del self._players[outbox]
        elif outbox in self._spectators:
            self._spectators.remove(outbox)
        else:
            return
        if outbox in self._absent:
            self._absent.remove(outbox)
        else:
            self._miss(player)
        if not self:
            self.empty_since = self._now()
        self._send_presence_soon()

    def set_absent(self, outbox: Outbox, is_absent: bool) -> None:
        """A socket that follows answers no longer, or answers again."""
        if is_absent == (outbox in self._absent):
            return
        if is_absent:
            self._absent.add(outbox)
            self._miss(_player(outbox))
        else:
            self._absent.remove(outbox)
            self._sockets[_player(outbox)] += 1
        self._send_presence_soon()

    def _miss(self, player: PlayerId) -> None:
        """Somebody is here through one socket fewer."""
        self._sockets[player] -= 1
        if not self._sockets[player]:
            del self._sockets[player]
            if any(owner_of(seat) == player for seat in self._seats):
                self._seen[player] = self._now()  # nobody asks how long a spectator has been gone

    def seat(self, seats: tuple[Holder, Holder]) -> None:
        """The seats have changed hands: sort players and spectators again."""
        were, self._seats = self._seats, seats
        if seats == were[::-1] and self.is_online(Mark.X) and self.is_online(Mark.O):
            return  # the two have only swapped marks
        owners = {owner_of(seat) for seat in seats}
        self._seen = {player: at for player, at in self._seen.items() if player in owners}
        for outbox in tuple(self._players):
            del self._players[outbox]
            self._place(outbox)
        for outbox in tuple(self._spectators):
            if self._is_seated(_player(outbox)):
                self._spectators.remove(outbox)
                self._place(outbox)
        self._send_presence_soon()

    def follows(self, player: PlayerId) -> bool:
        return player in self._sockets

    def is_online(self, mark: Mark) -> bool:
        holder = self._seats[mark]
        if not isinstance(holder, Person):
            return False
        return self.follows(holder.id) or self._follows_elsewhere(holder.id)

    def absent_for(self, mark: Mark, now: int) -> int:
        """How long the person in this seat has not followed through any socket.

        What another node has seen counts only from `since` on: the report of a third node, where
        the person is now, may have been lost.
        """
        holder = self._seats[mark]
        if not isinstance(holder, Person) or self.is_online(mark):
            return 0
        return now - max(self._since, self._seen.get(holder.id, self._since))

    # ------------------------------------------------------------------------------ other nodes

    @property
    def elsewhere(self) -> Collection[str]:
        """The other nodes that have the room awake."""
        return self._elsewhere.keys()

    def report(self, *, asleep: bool = False) -> Report:
        """Who follows here, for another node."""
        owners = {owner for seat in self._seats if (owner := owner_of(seat)) is not None}
        online = [player for player in self._sockets if player in owners]
        seen = {player: at for player, at in self._seen.items() if player not in self._sockets}
        return Report(online, self._watchers_here(), seen, asleep)

    def report_again(self) -> None:
        """Repeat the report, and drop those that are not repeated. Call it every few seconds."""
        if self or self._elsewhere:
            self._reported = self.report()
            self.on_report(self._reported)
        oldest = self._now() - REPORTED_FOR
        for node in [node for node, (at, _) in self._elsewhere.items() if at < oldest]:
            self.forget(node, self._elsewhere[node][0])

    def hear(self, node: str, report: Report) -> None:
        """Take in what another node reports."""
        for player, at in report.seen.items():
            self._seen[player] = max(at, self._seen.get(player, at))
        if node not in self._elsewhere:
            self._reported = None  # it has heard nothing from here yet
        if report.asleep:
            self._elsewhere.pop(node, None)
        else:
            self._elsewhere[node] = self._now(), report
        self._send_presence_soon()

    def forget(self, node: str, at: int) -> None:
        """A node is lost: whoever followed there was last seen at its last message."""
        _, report = self._elsewhere.pop(node, (0, None))
        if report is not None:
            for player in report.online:
                self._seen[player] = max(at, self._seen.get(player, at))
            self._send_presence_soon()

    def _follows_elsewhere(self, player: PlayerId) -> bool:
        return any(player in report.online for _, report in self._elsewhere.values())

    def _watchers_here(self) -> int:
        seated = {seat.id for seat in self._seats if isinstance(seat, Person)}
        return len(self._sockets.keys() - seated)

    def _place(self, outbox: Outbox) -> None:
        if self._is_seated(_player(outbox)):
            self._players[outbox] = None
        else:
            self._spectators.add(outbox)

    def _is_seated(self, player: PlayerId) -> bool:
        return any(isinstance(seat, Person) and seat.id == player for seat in self._seats)

    # ---------------------------------------------------------------------------------- frames

    def broadcast(self, state: bytes) -> None:
        """Show everybody the newest state."""
        offer(self._room, state, self._players)
        self._spectators.show(state)

    def send(self, frame: bytes) -> None:
        for outbox in self:
            outbox.send(frame)

    def clear(self) -> None:
        """Show nobody anything any more."""
        self._players.clear()
        self._spectators = Crowd(self._room)
        self._sockets.clear()
        self._absent.clear()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _send_presence_soon(self) -> None:
        """Send a presence frame soon, but at most one a second."""
        if self._timer is None:
            wait = self._sent_at + PRESENCE_EVERY - self._loop.time()
            self._timer = self._loop.call_later(max(FIRST_PRESENCE, wait), self._send_presence)

    def _send_presence(self) -> None:
        self._timer = None
        self._sent_at = self._loop.time()
        report = self.report()
        if report != self._reported:
            self._reported = report
            self.on_report(report)
        watchers = report.watchers + sum(r.watchers for _, r in self._elsewhere.values())
        online = [mark for mark in MARKS if self.is_online(mark)]
        frame = frames.presence(self._room, online, watchers)
        offer("presence " + self._room, frame, self)
        if (watchers, online) != (self.watchers, self.online):
            self.watchers, self.online = watchers, online
            self.on_presence()


def _player(outbox: Outbox) -> PlayerId:
    assert outbox.person is not None, "a peer follows a room after its hello"
    return outbox.person.id
