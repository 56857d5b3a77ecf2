"""One peer from its hello to its end: who it is, what it follows, and what its requests mean.

Knows no socket: bytes come in through `handle`, frames go out through its outbox, and `Closing`
says that the conversation is over.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from noughts import messages
from server import identity
from server.core.commands import Reason, Refused
from server.core.events import Person
from server.core.room import RoomId
from server.core.rules import Position
from server.identity import Token
from server.live.conversation import Answering, Conversation
from server.live.host import RoomHost
from server.live.house import House
from server.live.outbox import Outbox
from server.wire import frames, requests


class Peer(Conversation):
    __slots__ = ("_address", "_following", "_house", "_person")

    def __init__(
        self,
        house: House,
        outbox: Outbox,
        address: str,
        wake: Callable[[Exception | None], None],
    ) -> None:
        super().__init__(outbox, house.limits, house.metrics, wake)
        self._house = house
        self._address = address
        self._person: Person  # from hello on
        self._following: dict[str, RoomHost] = {}

    def drop(self) -> None:
        """The connection is gone. No seat is left: only the `leave` request does that."""
        self._outbox.is_gone = True
        self._house.lobby.unfollow(self._outbox)
        self._house.pairing.leave(self._outbox)
        for host in self._following.values():
            host.audience.remove(self._outbox)
        self._following.clear()

    def _show_again(self, request: messages.Request | None) -> None:
        if isinstance(request, messages.InRoom):
            host = self._house.rooms.awake(RoomId(request.room))
            if host is not None:
                host.show(self._outbox)

    def _hello(self, hello: messages.Hello) -> None:
        if hello.protocol != messages.PROTOCOL:
            raise Refused(Reason.UNSUPPORTED_PROTOCOL)
        if self._outbox.person is not None:
            raise requests.Malformed("Hello is said once.")
        token = Token(hello.token) if isinstance(hello.token, str) else identity.new_token()
        name = hello.name if isinstance(hello.name, str) else None
        self._person = self._outbox.person = identity.person(token, name)
        limits = self._house.limits
        welcome = frames.welcome(
            hello.re,
            self._person,
            token,
            self._house.now(),
            commands_per_second=limits.commands_per_second,
            commands_at_once=limits.commands_at_once,
            rooms_followed=limits.rooms_followed,
        )
        self._reply(hello, welcome)

    def _ping(self, ping: messages.Ping) -> None:
        self._reply(ping, frames.pong(ping.re, self._house.now()))

    def _follow_lobby(self, lobby: messages.Lobby) -> None:
        self._reply(lobby, frames.accepted(lobby.re))
        if lobby.on:
            self._house.lobby.follow(self._outbox)
        else:
            self._house.lobby.unfollow(self._outbox)

    def _quick(self, quick: messages.Quick) -> None:
        if quick.on and self._house.is_draining:
            raise Refused(Reason.DRAINING)
        self._reply(quick, frames.accepted(quick.re))
        if quick.on:
            self._house.pairing.join(self._person, self._outbox)
        else:
            self._house.pairing.leave(self._outbox)

    async def _meet(self, meet: messages.Meet) -> None:
        if self._house.is_draining:
            raise Refused(Reason.DRAINING)
        host = await self._house.pairing.meet(self._person, meet.player, self._address)
        if host is None:
            self._reply(meet, frames.accepted(meet.re))
        else:
            self._accept(meet, host)

    # ---------------------------------------------------------------------------------- rooms

    def _accept(self, request: messages.Request, host: RoomHost) -> None:
        self._reply(request, frames.accepted(request.re, host.id, host.room.seq))
        if type(request) is messages.Sit and host.id not in self._following:
            self._follow(host)
            host.show(self._outbox)

    async def _create(self, create: messages.Create) -> None:
        house = self._house
        command = requests.to_create(create, self._person)
        if isinstance(create.nonce, str):
            id = identity.room_id_for(self._person.id, create.nonce)
            is_repeat = await house.rooms.peek(id) is not None
        else:
            id, is_repeat = identity.new_room_id(), False
        if house.is_draining:
            raise Refused(Reason.DRAINING)
        self._check_space(id)
        if not is_repeat:
            house.addresses.may_open_room(self._address, monotonic())
        host, is_new = await house.rooms.open(id, command)
        if is_new:
            house.addresses.room_opened(self._address, id)
        self._accept(create, host)
        self._follow(host)
        host.show(self._outbox)

    async def _watch(self, watch: messages.Watch) -> None:
        host = await self._house.rooms.find(RoomId(watch.room))
        self._check_space(host.id)
        self._accept(watch, host)
        self._follow(host)
        host.show(self._outbox)

    async def _unwatch(self, unwatch: messages.Unwatch) -> None:
        host = await self._house.rooms.find(RoomId(unwatch.room))
        followed = self._following.pop(host.id, None)
        if followed is not None:
            followed.audience.remove(self._outbox)
        self._accept(unwatch, host)

    def _command(self, request: requests.RoomRequest) -> Answering | None:
        host = self._following.get(request.room)
        if host is None:
            return self._find_and_command(request)
        self._submit(request, host, requests.to_command(request, self._person))
        return None

    async def _find_and_command(self, request: requests.RoomRequest) -> None:
        host = await self._house.rooms.find(RoomId(request.room))
        if isinstance(request, messages.Sit):
            self._check_space(host.id)
        self._submit(request, host, requests.to_command(request, self._person))

    async def _say(self, say: messages.Say) -> None:
        host = await self._house.rooms.find(RoomId(say.room))
        if host.id not in self._following and not host.room.seats_of(self._person.id):
            raise Refused(Reason.NOT_HERE)
        if say.phrase not in messages.PHRASES:
            raise Refused(Reason.NO_SUCH_PHRASE)
        self._accept(say, host)
        host.say(self._person, say.phrase)

    async def _analyse(self, analyse: messages.Analyse) -> None:
        host = await self._house.rooms.find(RoomId(analyse.room))
        room = host.room
        if not room.may_analyse(self._person.id):
            raise Refused(Reason.PLAYERS_MAY_NOT)
        ply = analyse.ply if isinstance(analyse.ply, int) else len(room.moves)
        if not 0 <= ply <= len(room.moves):
            raise Refused(Reason.STALE)
        position = Position(room.variant)
        for cell in room.moves[:ply]:
            position = position.play(cell)
        verdicts = await self._house.pool.judge(position)
        if verdicts is None or any(verdict.value == "unknown" for verdict in verdicts.values()):
            raise Refused(Reason.TOO_LARGE if verdicts else Reason.RETRY)
        turn = position.turn if verdicts else None
        self._reply(
            analyse, frames.analysis(analyse.re, host.id, ply, turn, room.variant.size, verdicts)
        )

    def _check_space(self, room: RoomId) -> None:
        full = len(self._following) >= self._house.limits.rooms_followed
        if full and room not in self._following:
            raise Refused(Reason.TOO_MANY_ROOMS)

    def _follow(self, host: RoomHost) -> None:
        if not self._outbox.is_gone:
            self._following[host.id] = host
            host.audience.add(self._outbox)


Peer._ways = {
    messages.Hello: Peer._hello,
    messages.Ping: Peer._ping,
    messages.Lobby: Peer._follow_lobby,
    messages.Quick: Peer._quick,
    messages.Meet: Peer._meet,
    messages.Create: Peer._create,
    messages.Watch: Peer._watch,
    messages.Unwatch: Peer._unwatch,
    messages.Sit: Peer._command,
    messages.Leave: Peer._command,
    messages.SeatAI: Peer._command,
    messages.DismissAI: Peer._command,
    messages.Play: Peer._command,
    messages.Resign: Peer._command,
    messages.Rematch: Peer._command,
    messages.Claim: Peer._command,
    messages.Say: Peer._say,
    messages.Analyse: Peer._analyse,
}
