"""Fuzzing with hypothesis: only declared outcomes occur, and equal logs give equal rooms.

`tests/unit/wire` and `tests/unit/core` fuzz single frames and lists of commands. Here are damaged
requests, rooms with several players, AIs, clocks and passing time, and whole sessions with a peer.
"""

from __future__ import annotations

import asyncio
import json
from time import monotonic
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from noughts.messages import REQUEST_LIMIT
from server import codec
from server.core.commands import (
    AI_PLAYER,
    Claim,
    Command,
    Create,
    DismissAI,
    Expire,
    Leave,
    Play,
    Reason,
    Refused,
    Rematch,
    Resign,
    SeatAI,
    Sit,
    Wake,
)
from server.core.decide import decide
from server.core.events import Event, Person, TimeControl
from server.core.evolve import evolve, replay
from server.core.levels import levels_of
from server.core.room import Room, RoomId
from server.core.rules import CLASSIC, VARIANTS, Cell, Mark, Position, Variant, cells
from server.live.outbox import Outbox
from server.live.peer import Peer
from server.wire import snapshots
from server.wire.closing import Closing
from tests.support.houses import new_house, open_room
from tests.support.outboxes import tick
from tests.support.people import ADA, BO, CY
from tests.support.playing import a_room, mover, refusal
from tests.support.requests import check_request
from tests.support.wire import Wire

R = RoomId("room")

# ------------------------------------------------------------------- commands that were right once

NAMED = {"X": {"me": "Mia"}, "O": {"me": "Max"}}
RIGHT: list[dict[str, Any]] = [
    {"type": "hello", "id": 1, "protocol": 1, "token": "A" * 43, "name": "Ada"},
    {"type": "create", "id": "c", "seats": {"X": "me", "O": {"ai": "easy"}}, "nonce": "n"},
    {"type": "create", "id": 2, "public": False, "clock": {"budget": 5000, "increment": 0}},
    {"type": "create", "id": 19, "variant": "drop", "moves": [38, 31], "seats": NAMED},
    {"type": "watch", "id": 3, "room": "room"},
    {"type": "unwatch", "id": 4, "room": "room"},
    {"type": "sit", "id": 5, "room": "room", "seat": "X", "name": "Mia"},
    {"type": "leave", "id": 6, "room": "room", "seat": "O"},
    {"type": "seat_ai", "id": 7, "room": "room", "seat": "O", "level": "easy"},
    {"type": "dismiss_ai", "id": 8, "room": "room", "seat": "O"},
    {"type": "play", "id": 9, "room": "room", "cell": 4, "ply": 0, "game": 1},
    {"type": "resign", "id": 10, "room": "room", "game": 1},
    {"type": "rematch", "id": 11, "room": "room"},
    {"type": "claim", "id": 12, "room": "room"},
    {"type": "say", "id": 13, "room": "room", "phrase": "wow"},
    {"type": "lobby", "id": 14, "on": True},
    {"type": "analyse", "id": 15, "room": "room", "ply": 0, "game": 1},
    {"type": "quick", "id": 17, "on": True, "variant": "ultimate"},
    {"type": "meet", "id": 18, "player": "ada-ada-ada-ada-"},
    {"type": "ping", "id": 16},
]
ODD: list[object] = [
    None,
    True,
    0,
    -1,
    1.0,
    1e308,
    2**64,
    "",
    "X",
    "\ud800",
    "a" * 70,
    [],
    {},
    [[]],
    {"ai": {}},
]
odd = st.sampled_from(ODD)
right = st.sampled_from(RIGHT).map(lambda plain: json.dumps(plain).encode())


@st.composite
def nearly_right(draw: st.DrawFn) -> bytes:
    """A command with a field missing, changed or added, or left as it is."""
    plain = dict(draw(st.sampled_from(RIGHT)))
    for _ in range(draw(st.integers(0, 2))):
        field = draw(st.sampled_from(sorted(plain)))
        match draw(st.sampled_from(["gone", "odd", "wrapped", "more"])):
            case "gone" if len(plain) > 1:
                del plain[field]
            case "odd":
                plain[field] = draw(odd)
            case "wrapped":
                plain[field] = [plain[field]]
            case _:
                plain[field + "s"] = plain[field]
    return json.dumps(plain).encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A command with some bytes replaced, doubled or removed."""
    raw = draw(right)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(len(raw), start + 4)))
        raw = raw[:start] + draw(st.binary(max_size=4)) + raw[draw(st.sampled_from([start, end])) :]
    return raw


texts = st.one_of(right, nearly_right(), damaged(), st.binary(max_size=40))


@settings(deadline=None)
@given(nearly_right() | damaged())
def test_a_damaged_request_is_a_request_or_malformed_or_not_utf_8(raw: bytes) -> None:
    check_request(raw)


# --------------------------------------------------------------------------- rooms, step by step

people = st.sampled_from([ADA, BO, CY, Person(ADA.id, "Countess")])
players = people.map(lambda person: person.id)
marks = st.sampled_from(Mark)
games = st.sampled_from([None, None, 1, 2, 3])
spans = st.sampled_from([0, 19_999, 20_000, 29_999, 30_000])
seats = st.sampled_from([ADA, BO, "easy", None])
variants = st.sampled_from(list(VARIANTS.values()))
levels = st.sampled_from([*levels_of(CLASSIC), "best", "god"])


def playable_moves(variant: Variant, picks: list[int]) -> tuple[Cell, ...]:
    """Moves from the beginning of a game on the nth playable cells, but none that ends it."""
    position, moves = Position(variant), []
    for nth in picks:
        free = list(cells(position.playable()))
        cell = free[nth % len(free)]
        after = position.play(cell)
        if after.outcome() is not None:
            break
        position = after
        moves.append(cell)
    return tuple(moves)


class Rooms(RuleBasedStateMachine):
    """One room, its log, and the frames that its host would send."""

    now: int
    log: list[Event]
    room: Room | None
    snapshots: snapshots.Snapshots

    @initialize(
        variant=variants,
        opening=st.lists(st.integers(0, 80), max_size=20),
        x=seats,
        o=seats,
        public=st.booleans(),
        time=st.sampled_from([None, None, TimeControl(5_000), TimeControl(60_000, 2_000)]),
    )
    def open(
        self,
        variant: Variant,
        opening: list[int],
        x: Person | str | None,
        o: Person | str | None,
        public: bool,
        time: TimeControl | None,
    ) -> None:
        self.now, self.log, self.room = 1_000, [], None
        moves = playable_moves(variant, opening)
        self.submit(Create(variant, (x, o), public, time, moves))
        assert self.room is not None
        self.snapshots = snapshots.Snapshots(R, self.room)

    @rule(wait=st.sampled_from([1, 4_000, 31_000]))
    def time_passes(self, wait: int) -> None:
        self.now += wait
        self.submit(Expire())

    @rule(by=people, mark=marks)
    def sit(self, by: Person, mark: Mark) -> None:
        self.submit(Sit(by, mark))

    @rule(by=players, mark=marks)
    def leave(self, by: Any, mark: Mark) -> None:
        self.submit(Leave(by, mark))

    @rule(by=players, mark=marks, level=levels, span=spans)
    def seat_ai(self, by: Any, mark: Mark, level: str, span: int) -> None:
        self.submit(SeatAI(by, mark, level, span))

    @rule(by=players, mark=marks)
    def dismiss_ai(self, by: Any, mark: Mark) -> None:
        self.submit(DismissAI(by, mark))

    @precondition(lambda self: self.room.turn is not None)
    @rule(nth=st.integers(0, 80))
    def move(self, nth: int) -> None:
        """A move by the side to move. Without these, few games would end."""
        assert self.room is not None
        assert self.room.turn is not None
        free = list(cells(self.room.position.playable()))
        by = mover(self.room.seats[self.room.turn])
        self.submit(Play(by, free[nth % len(free)], len(self.room.moves)))

    @rule(
        by=players | st.just(AI_PLAYER),
        cell=st.integers(-1, 81),
        ply=st.integers(-1, 30),
        game=games,
    )
    def play(self, by: Any, cell: int, ply: int, game: int | None) -> None:
        self.submit(Play(by, cell, ply, game))

    @rule(by=players, game=games)
    def resign(self, by: Any, game: int | None) -> None:
        self.submit(Resign(by, game))

    @rule(by=players, game=games, follows=st.booleans())
    def rematch(self, by: Any, game: int | None, follows: bool) -> None:
        self.submit(Rematch(by, game, follows))

    @rule(by=players, game=games, span=spans)
    def claim(self, by: Any, game: int | None, span: int) -> None:
        self.submit(Claim(by, game, span))

    @rule(span=spans)
    def wake(self, span: int) -> None:
        self.submit(Wake(self.now - span))

    def submit(self, command: Command) -> None:
        """Decide, store and evolve as the host does. Only `Refused` may be raised."""
        try:
            events = decide(self.room, command, self.now)
        except Refused:
            return
        before = self.room.seq if self.room else 0
        for event in events:
            assert codec.decode(json.loads(json.dumps(codec.encode(event)))) == event
            self.room = evolve(self.room, event)
        self.log += events
        assert self.room is not None
        assert self.room.seq == before + len(events)
        self.again(command)

    def again(self, command: Command) -> None:
        """Send a command twice: the second one changes nothing or is refused."""
        try:
            events = decide(self.room, command, self.now)
        except Refused:
            return
        assert events == () or isinstance(command, Wake)

    @invariant()
    def the_log_alone_gives_the_room(self) -> None:
        assert replay(self.log) == self.room
        stored = [codec.encode(event) for event in self.log]
        assert replay(map(codec.decode, stored)) == self.room

    @invariant()
    def what_stayed_encoded_is_as_if_encoded_anew(self) -> None:
        assert self.room is not None
        kept = self.snapshots.text(self.room)
        again = replay(self.log)
        assert again is not None
        assert kept == snapshots.state_text(R, again)
        assert json.loads(kept)["seq"] == len(self.log)


Rooms.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestRooms = Rooms.TestCase


def test_only_the_other_player_may_let_an_ai_cover_for_somebody_absent() -> None:
    assert refusal(a_room(ADA, BO), SeatAI(ADA.id, Mark.X, "easy", 20_000)) is Reason.SEAT_TAKEN


# ----------------------------------------------------------------------- whole conversations


@settings(max_examples=60, deadline=None)
@given(st.booleans(), st.lists(texts, max_size=15))
def test_a_peer_answers_every_frame_once_or_ends_the_connection(
    greets: bool, script: list[bytes]
) -> None:
    asyncio.run(converse([json.dumps(RIGHT[0]).encode()] * greets + script))


async def converse(script: list[bytes]) -> None:
    house, wire = new_house(), Wire()
    host = await open_room(house.rooms, ADA, BO)
    late: list[Exception | None] = []
    peer = Peer(house, Outbox(wire, house.scheduler), "192.0.2.1", late.append)
    before, code = host.room, None
    for asked, raw in enumerate(script, 1):
        assert len(raw) <= REQUEST_LIMIT
        try:
            peer.handle(raw, monotonic())
            while peer.is_busy:
                await tick()
            for problem in filter(None, late):
                raise problem
        except Closing as end:
            code = end.code
        await tick()
        answers = [frame for frame in wire.frames if "re" in frame]
        if code is not None:
            break
        assert len(answers) == asked
    assert code in (None, 1007, 1008)
    peer.drop()
    peer.drop()  # a socket may end from two sides
    assert host.room == before, "the peer has no seat in these rooms"
    assert not host.audience
    await house.close()
