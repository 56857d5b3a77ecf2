"""One peer from hello to drop: who it is, what it follows, and what its requests mean.

Knows no socket. Text frames come in through `handle`, frames go out through the outbox. `Closing`
says that the connection has to end.

A peer has one request under way at a time: while it `is_busy`, the socket keeps the next one back.
A request is answered in one of three ways:

- at once, such as `ping`;
- by a reply of the room's host, once the change is durable, such as `play`;
- by a task, if something has to be awaited first, such as a room that sleeps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from time import monotonic
from typing import assert_never, get_args

from noughts.messages import (
    PHRASES,
    PROTOCOL,
    Analyse,
    Claim,
    Close,
    Create,
    DismissAI,
    Hello,
    InRoom,
    Leave,
    Lobby,
    Meet,
    Ping,
    Play,
    Quick,
    Rematch,
    Request,
    Resign,
    Say,
    SeatAI,
    Sit,
    Unwatch,
    Watch,
)
from server import identity
from server.core.commands import Reason, Refused, Whose
from server.core.events import Person
from server.core.history import Game, find_game
from server.core.room import Room, RoomId
from server.identity import Token
from server.live.conduct import Conduct
from server.live.draft import Accepted, Answer, Refusal
from server.live.host import RoomHost
from server.live.house import House
from server.live.outbox import Outbox
from server.wire import frames, requests
from server.wire.closing import Closing
from server.wire.requests import Malformed, RoomRequest

UNREADABLE = "unreadable"  # how metrics call a frame that is no request
NAMES = {kind: str(kind.__struct_config__.tag) for kind in get_args(Request)}


class Peer:
    """`on_answered` is called when the request under way has been answered, with None.

    If the connection has to end instead, it gets the reason: `Closing`, or our own fault. It may be
    called before `handle` returns.
    """

    __slots__ = (
        "_conduct",
        "_following",
        "_house",
        "_on_answered",
        "_outbox",
        "_submitted",
        "_task",
        "address",
        "has_pinged",
        "is_busy",
        "since",
    )

    def __init__(
        self,
        house: House,
        outbox: Outbox,
        address: str,
        on_answered: Callable[[Exception | None], None],
    ) -> None:
        self._house = house
        self._outbox = outbox
        self.address = address
        self.since = house.now()
        self._on_answered = on_answered
        self._conduct = Conduct(house.limits)
        self._following: dict[str, RoomHost] = {}
        self._submitted: tuple[RoomRequest, RoomHost] | None = None  # until the host replies
        self._task: asyncio.Task[None] | None = None
        self.is_busy = False  # a request is under way, and has not been answered
        self.has_pinged = False  # since this was last set to False
        house.peers.add(self)

    @property
    def outbox(self) -> Outbox:
        return self._outbox

    @property
    def following(self) -> int:
        """How many rooms it follows."""
        return len(self._following)

    def note_end(self, closing: Closing, now: float) -> None:
        """The connection ends for this reason: count it, and log it if the peer broke a rule."""
        self._house.metrics.closed[closing.code] += 1
        if closing.code is Close.POLICY:
            self._house.turned_away.note(self.address, f"1008 {closing.why}", now)

    def close(self, closing: Closing) -> None:
        """End the connection soon."""
        self._on_answered(closing)

    def forget(self, host: RoomHost) -> None:
        """Follow a room no longer, because it has been removed."""
        if self._following.get(host.id) is host:
            del self._following[host.id]

    def count_control_frame(self, now: float) -> bool:
        """Count a ping or a pong; False if it came too fast. Raises `Closing` at the limit."""
        if self._conduct.rate.take(now):
            return True
        self._strike_too_fast(now)
        return False

    def _strike_too_fast(self, now: float) -> None:
        if not self._house.stalls.is_recent(now):  # else it has come while we stood still
            self._conduct.strike_too_fast(now)

    def set_absent(self, is_absent: bool) -> None:
        """Whether this connection counts for nobody's presence, because it does not answer."""
        for host in self._following.values():
            host.audience.set_absent(self._outbox, is_absent)

    def drop(self) -> None:
        """The connection is gone. Seats are kept: only the request `leave` gives one up."""
        self._outbox.is_gone = True
        self._house.peers.remove(self)
        self._house.lobby.unfollow(self._outbox)
        self._house.pairing.withdraw(self._outbox)
        for host in self._following.values():
            host.audience.remove(self._outbox)
        self._following.clear()

    # -------------------------------------------------------------------------------- requests

    def handle(self, text: bytes, now: float) -> None:
        """Answer one text frame, now or later. Raises `Closing` if the connection has to end."""
        is_in_time = self._conduct.rate.take(now)
        try:
            request = requests.read(text)
        except Malformed as malformed:
            self._refuse_malformed(UNREADABLE, malformed, now)
            return
        except UnicodeDecodeError:
            raise Closing(Close.NOT_UTF8, "text frames are UTF-8") from None
        try:
            if not is_in_time:
                raise Refused(Reason.TOO_FAST)
            if self._outbox.person is not None:
                self._dispatch(request, self._outbox.person)
            elif isinstance(request, Hello):
                self._greet(request)
            else:
                raise Refused(Reason.HELLO_FIRST)
        except Refused as refused:
            self._refuse(request, refused.reason, refused.whose)
            if refused.reason is Reason.TOO_FAST:
                self._strike_too_fast(now)
            elif refused.reason is Reason.UNSUPPORTED_PROTOCOL:
                raise Closing(Close.POLICY, "unsupported protocol") from None
        except Malformed as malformed:
            self._refuse_malformed(NAMES[type(request)], malformed, now)

    def _dispatch(self, request: Request, person: Person) -> None:
        match request:
            case Play() | Rematch() | Leave() | SeatAI() | DismissAI() | Resign() | Claim():
                host = self._following.get(request.room)
                if host is not None:
                    self._submit(request, person, host)
                else:
                    self._in_room(request, partial(self._submit, request, person))
            case Sit():
                self._in_room(request, partial(self._sit, request, person))
            case Watch():
                self._in_room(request, partial(self._watch, request))
            case Unwatch():
                self._in_room(request, partial(self._unwatch, request))
            case Say():
                self._in_room(request, partial(self._say, request, person))
            case Analyse():
                self._begin(request, self._analyse(request, person))
            case Create():
                self._begin(request, self._create(request, person))
            case Meet():
                self._begin(request, self._meet(request, person))
            case Lobby():
                self._follow_lobby(request)
            case Quick():
                self._join_quick(request, person)
            case Ping():
                self.has_pinged = True
                self._answer(request, frames.pong(request.re, self._house.now()))
            case Hello():
                self._greet(request)
            case _:
                assert_never(request)

    def _greet(self, hello: Hello) -> None:
        if hello.protocol != PROTOCOL:
            raise Refused(Reason.UNSUPPORTED_PROTOCOL)
        if self._outbox.person is not None:
            raise Malformed("Send hello only once.", hello.re)
        token = Token(hello.token) if isinstance(hello.token, str) else identity.new_token()
        name = hello.name if isinstance(hello.name, str) else None
        person = self._outbox.person = identity.person(token, name, bot=hello.bot is True)
        now, limits = self._house.now(), self._house.limits.to_shape()
        self._answer(hello, frames.welcome(hello.re, person, token, now, limits))
        self._house.notices.show(self._outbox)

    def _follow_lobby(self, lobby: Lobby) -> None:
        self._answer(lobby, frames.accepted(lobby.re))
        if lobby.on:
            self._house.lobby.follow(self._outbox)
        else:
            self._house.lobby.unfollow(self._outbox)

    def _join_quick(self, quick: Quick, person: Person) -> None:
        if quick.on and self._house.is_draining:
            raise Refused(Reason.DRAINING)
        variant = requests.find_variant(quick.variant)
        self._answer(quick, frames.accepted(quick.re))
        if quick.on:
            self._house.pairing.join(person, self._outbox, variant)
        else:
            self._house.pairing.withdraw(self._outbox)

    async def _meet(self, meet: Meet, person: Person) -> None:
        if self._house.is_draining:
            raise Refused(Reason.DRAINING)
        self._check_space()
        host = await self._house.pairing.meet(person, meet.player, self.address)
        if host is None:
            self._answer(meet, frames.accepted(meet.re))
        else:
            self._accept(meet, host)
            self._follow(host)

    async def _create(self, create: Create, person: Person) -> None:
        house = self._house
        command = requests.to_create(create, person)
        if isinstance(create.nonce, str):
            id = identity.room_id_for(person.id, create.nonce)
            is_repeat = await house.rooms.peek(id) is not None
        else:
            id, is_repeat = identity.new_room_id(), False
        if house.is_draining:
            raise Refused(Reason.DRAINING)
        self._check_space(id)
        if not is_repeat:
            house.addresses.check_room_limits(self.address, person.id, monotonic())
        host, is_new = await house.rooms.open(id, command)
        if is_new:
            house.addresses.add_room(self.address, id)
        self._accept(create, host)
        self._follow(host)

    def _sit(self, sit: Sit, person: Person, host: RoomHost) -> None:
        self._check_space(host.id)
        self._submit(sit, person, host)

    def _watch(self, watch: Watch, host: RoomHost) -> None:
        self._check_space(host.id)
        self._accept(watch, host)
        self._follow(host)

    def _unwatch(self, unwatch: Unwatch, host: RoomHost) -> None:
        if self._following.pop(host.id, None) is not None:
            host.audience.remove(self._outbox)
        self._accept(unwatch, host)

    def _say(self, say: Say, person: Person, host: RoomHost) -> None:
        if host.id not in self._following and not host.room.seats_of(person.id):
            raise Refused(Reason.NOT_HERE)
        if say.phrase not in PHRASES:
            raise Refused(Reason.NO_SUCH_PHRASE)
        self._accept(say, host)
        host.say(person, say.phrase)

    async def _analyse(self, analyse: Analyse, person: Person) -> None:
        host = await self._house.rooms.find(analyse.room)
        room = host.room
        game: Room | Game = room
        if isinstance(analyse.game, int) and analyse.game != room.game:
            game = find_game(await self._house.rooms.games(host.id), analyse.game)
        elif not room.may_analyse(person.id):
            raise Refused(Reason.PLAYERS_MAY_NOT)
        ply = analyse.ply if isinstance(analyse.ply, int) else len(game.moves)
        if not 0 <= ply <= len(game.moves):
            raise Refused(Reason.STALE)
        position = game.position_at(ply)
        verdicts = await self._house.pool.judge(position, host.id)
        if verdicts is None:
            raise Refused(Reason.RETRY)
        turn, size = position.turn if verdicts else None, room.variant.size
        self._answer(analyse, frames.analysis(analyse.re, host.id, ply, turn, size, verdicts))

    # ----------------------------------------------------------------------------------- rooms

    def _submit(self, request: RoomRequest, person: Person, host: RoomHost) -> None:
        """Let the host carry it out. The answer is sent from its reply, and so before the state."""
        self.is_busy = True
        self._submitted = request, host
        host.submit(requests.to_command(request, person), self._end_command)

    def _end_command(self, answer: Answer) -> None:
        """The host's reply: pass it on to the peer."""
        assert self._submitted is not None
        request, host = self._submitted
        self._submitted = None
        problem: Exception | None = None
        try:
            if isinstance(answer, Accepted):
                self._accept(request, host)
                if type(request) is Sit and host.id not in self._following:
                    self._follow(host)
            elif isinstance(answer, Refusal):
                self._refuse(request, answer.reason)
            else:
                problem = answer.problem
        except Exception as fault:
            problem = fault
        if problem is not None or self._task is None:  # else the task calls back
            self.is_busy = False
            self._on_answered(problem)

    def _in_room(
        self, request: RoomRequest | Watch | Unwatch | Say, act: Callable[[RoomHost], None]
    ) -> None:
        """Call `act` with the room's host, at once if the room is awake."""
        host = self._house.rooms.find_awake(request.room)
        if host is not None:
            act(host)
        else:
            self._begin(request, self._wake_room(request.room, act))

    async def _wake_room(self, room: str, act: Callable[[RoomHost], None]) -> None:
        act(await self._house.rooms.find(room))

    def _check_space(self, room: RoomId | None = None) -> None:
        """Refuse to follow this room, or any, if too many are followed."""
        is_full = len(self._following) >= self._house.limits.rooms_followed
        if is_full and room not in self._following:
            raise Refused(Reason.TOO_MANY_ROOMS, Whose.CONNECTION)

    def _follow(self, host: RoomHost) -> None:
        """Show the room, now and after every change."""
        if not self._outbox.is_gone:
            self._following[host.id] = host
            host.audience.add(self._outbox)
            host.show(self._outbox)

    # --------------------------------------------------------------------------------- answers

    def _begin(self, request: Request, answering: Coroutine[None, None, None]) -> None:
        """Answer `request` in a task of its own."""
        self.is_busy = True
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._run(request, answering))

    async def _run(self, request: Request, answering: Coroutine[None, None, None]) -> None:
        problem: Exception | None = None
        try:
            await answering
        except Refused as refused:
            self._refuse(request, refused.reason, refused.whose)
        except Exception as fault:
            problem = fault
        self._task = None
        if problem is not None or self._submitted is None:  # else the host's reply calls back
            self.is_busy = False
            self._on_answered(problem)

    def _accept(self, request: Request, host: RoomHost) -> None:
        self._answer(request, frames.accepted(request.re, host.id, host.room.seq))

    def _answer(self, request: Request, frame: bytes) -> None:
        self._house.metrics.accepted[NAMES[type(request)]] += 1
        self._outbox.send(frame)

    def _refuse(self, request: Request, reason: Reason, whose: Whose | None = None) -> None:
        self._house.metrics.refused[NAMES[type(request)], reason.value] += 1
        text = frames.text_of(reason, whose, type(request))
        self._outbox.send(frames.refused(request.re, reason, text, whose))
        if reason is Reason.STALE and isinstance(request, InRoom):
            host = self._house.rooms.find_awake(request.room)
            if host is not None:
                host.show(self._outbox)

    def _refuse_malformed(self, name: str, malformed: Malformed, now: float) -> None:
        self._house.metrics.refused[name, Reason.MALFORMED.value] += 1
        self._outbox.send(frames.refused(malformed.re, Reason.MALFORMED, malformed.text))
        self._conduct.strike_malformed(now)
