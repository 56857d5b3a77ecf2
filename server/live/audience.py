"""Who follows a room, and what they are shown: states to all, and who is there.

Presence is not history: none of this enters the log. Players are kept apart from spectators, so
that a move reaches the two who wait for it before the thousand who look on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator

from server.core.events import Person, PlayerId
from server.core.room import Holder, RoomId, owner_of
from server.core.rules import MARKS, Mark
from server.live.outbox import SLICE, Connection, offer, pass_on
from server.wire import frames

PRESENCE_EVERY = 1.0  # seconds between two presence frames of a room
FIRST_PRESENCE = 0.05  # seconds; long enough to tell of several arrivals at once


class Audience:
    """`since`: from when on somebody who was never seen here counts as absent."""

    __slots__ = (
        "_crowd",
        "_frame",
        "_invited",
        "_is_serving",
        "_is_thinned",
        "_loop",
        "_now",
        "_players",
        "_room",
        "_seats",
        "_seen",
        "_served",
        "_since",
        "_sockets",
        "_spectators",
        "_telling",
        "_told",
        "empty_since",
        "on_watchers",
        "watchers",
    )

    def __init__(
        self, room: RoomId, seats: tuple[Holder, Holder], *, now: Callable[[], int], since: int
    ) -> None:
        self.on_watchers: Callable[[], None] = lambda: None
        self.watchers = 0
        self._room = room
        self._seats = seats
        self._now = now
        self._since = since
        self._loop = asyncio.get_running_loop()
        self._players: dict[Connection, None] = {}
        self._spectators: dict[Connection, None] = {}
        self._frame = b""
        self._is_serving = False
        self._invited: dict[Connection, None] = {}  # who is to get it,
        self._crowd: list[Connection] = []  # the same in their order,
        self._served = 0  # how many of them have got it,
        self._is_thinned = False  # and whether some of them have left
        self._sockets: Counter[PlayerId] = Counter()
        self.empty_since = now()
        self._seen: dict[PlayerId, int] = {}
        self._told = -PRESENCE_EVERY
        self._telling: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        return bool(self._sockets)

    def __iter__(self) -> Iterator[Connection]:
        yield from tuple(self._players)
        yield from tuple(self._spectators)

    # ------------------------------------------------------------------------- coming and going

    def add(self, connection: Connection) -> bool:
        """Show this connection every change from now on; False if it already was."""
        if connection in self._players or connection in self._spectators:
            return False
        player = _player(connection)
        self._sockets[player] += 1
        if self._invited is self._spectators:  # who comes now is shown the room anyway
            self._spectators = dict(self._spectators)
        self._side_of(player)[connection] = None
        self._tell_presence()
        return True

    def remove(self, connection: Connection) -> None:
        side = self._players if connection in self._players else self._spectators
        if connection not in side:
            return
        del side[connection]
        self._is_thinned = True
        player = _player(connection)
        self._sockets[player] -= 1
        if not self._sockets[player]:
            del self._sockets[player]
            if side is self._players:  # nobody asks how long a spectator has been gone
                self._seen[player] = self._now()
        if not self._sockets:
            self.empty_since = self._now()
        self._tell_presence()

    def seat(self, seats: tuple[Holder, Holder]) -> None:
        """The seats have changed hands: part players from spectators again."""
        were, self._seats = self._seats, seats
        if seats == were[::-1] and self.is_online(Mark.X) and self.is_online(Mark.O):
            return  # the two have only swapped marks
        owners = {owner_of(seat) for seat in seats}
        self._seen = {player: at for player, at in self._seen.items() if player in owners}
        everybody = tuple(self)
        self._players, self._spectators = {}, {}
        self._is_thinned = True
        for connection in everybody:
            self._side_of(_player(connection))[connection] = None
        self._tell_presence()

    def follows(self, player: PlayerId) -> bool:
        return player in self._sockets

    def is_online(self, mark: Mark) -> bool:
        holder = self._seats[mark]
        return isinstance(holder, Person) and self.follows(holder.id)

    def absent_for(self, mark: Mark, now: int) -> int:
        """How long the person in this seat has followed through no socket at all."""
        holder = self._seats[mark]
        if not isinstance(holder, Person) or self.is_online(mark):
            return 0
        return now - self._seen.get(holder.id, self._since)

    def _side_of(self, player: PlayerId) -> dict[Connection, None]:
        seated = any(isinstance(seat, Person) and seat.id == player for seat in self._seats)
        return self._players if seated else self._spectators

    # ---------------------------------------------------------------------------------- frames

    def broadcast(self, state: bytes) -> None:
        """Offer the newest state to everybody; a crowd must not keep the players waiting."""
        offer(self._room, state, self._players)
        if not self._spectators:
            return
        self._frame = state
        if self._crowd:  # some have not got the last state yet: they go first
            late = dict.fromkeys(self._crowd[self._served :])
            self._crowd = [*late, *(c for c in self._spectators if c not in late)]
            self._served = 0
            return
        self._invited = self._spectators
        self._is_thinned = False
        if not self._is_serving:
            self._is_serving = True
            self._loop.call_soon(self._serve)  # behind the ticker, which has the players

    def _serve(self) -> None:
        self._crowd, self._invited = list(self._invited), {}
        self._served = 0
        self._serve_slice()

    def _serve_slice(self) -> None:
        begin, self._served = self._served, self._served + SLICE
        crowd = self._crowd[begin : self._served]
        if self._is_thinned:
            crowd = [connection for connection in crowd if connection in self._spectators]
        pass_on(self._room, self._frame, crowd)
        if self._served < len(self._crowd):
            self._loop.call_soon(self._serve_slice)
        else:
            self._crowd = []
            self._is_serving = False

    def send(self, frame: bytes) -> None:
        for connection in self:
            connection.send(frame)

    def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()

    def _tell_presence(self) -> None:
        """Soon, but at most once a second, however many come and go."""
        if self._telling is None:
            wait = self._told + PRESENCE_EVERY - self._loop.time()
            self._telling = self._loop.call_later(max(FIRST_PRESENCE, wait), self._send_presence)

    def _send_presence(self) -> None:
        self._telling = None
        self._told = self._loop.time()
        seated = {seat.id for seat in self._seats if isinstance(seat, Person)}
        watchers = len(self._sockets.keys() - seated)
        online = [mark for mark in MARKS if self.is_online(mark)]
        frame = frames.presence(self._room, online, watchers)
        offer("presence " + self._room, frame, self)
        if watchers != self.watchers:
            self.watchers = watchers
            self.on_watchers()


def _player(connection: Connection) -> PlayerId:
    assert connection.person is not None, "only somebody who has said hello follows a room"
    return connection.person.id
