"""Properties that hold in every room after any commands in any order."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

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
    Rematch,
    Resign,
    SeatAI,
    Sit,
    Wake,
)
from server.core.events import Event, GameStarted, Person, PlayerId, TimeControl
from server.core.evolve import evolve, replay
from server.core.levels import levels_of
from server.core.record import replace
from server.core.room import Room
from server.core.rules import CLASSIC, VARIANTS, Mark, Position, Variant, cells
from tests.support.people import ADA, BO, CY
from tests.support.playing import answered, mover

people = st.sampled_from([ADA, BO, CY, Person(ADA.id, "Countess")])
players = st.sampled_from([ADA.id, BO.id, CY.id])
marks = st.sampled_from(Mark)
levels = st.sampled_from([*levels_of(CLASSIC), "best", "godlike"])
games = st.sampled_from([None, None, 0, 1, 2, 3])
spans = st.sampled_from([0, 19_999, 20_000, 29_999, 30_000])
seats = st.sampled_from([ADA, ADA, BO, BO, "easy", None])

requests: st.SearchStrategy[Command] = st.one_of(
    st.builds(Sit, people, marks),
    st.builds(Leave, players, marks),
    st.builds(SeatAI, players, marks, levels, spans),
    st.builds(DismissAI, players, marks),
    st.builds(
        Play,
        st.one_of(players, st.just(AI_PLAYER)),
        st.integers(-1, 81),
        st.integers(-1, 30),
        games,
    ),
    st.builds(Resign, players, games),
    st.builds(Rematch, players, games, st.booleans()),
    st.builds(Claim, players, games, spans),
    st.builds(Wake, st.integers(0, 200_000)),
    st.just(Create(CLASSIC, (CY, None))),
)
# A move by the side to move, on the nth playable cell. Without these, few games would end.
turns = st.integers(0, 80)
steps = st.tuples(st.one_of(turns, turns, requests), st.sampled_from([0, 1, 5_000, 31_000]))
creates = st.builds(
    Create,
    st.sampled_from([*VARIANTS.values(), Variant("2x3", 2, 3, 2)]),
    st.tuples(seats, seats),
    st.booleans(),
    st.sampled_from([None, None, TimeControl(5_000), TimeControl(60_000, 2_000)]),
    st.lists(st.integers(-1, 41), max_size=3).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(creates, st.lists(steps, max_size=30))
def test_every_room_keeps_its_promises(
    create: Create, script: list[tuple[Command | int, int]]
) -> None:
    now = 1_000
    room, log = carried_out(None, create, now, [])
    if room is None:
        return
    for step, wait in script:
        now += wait
        room, log = carried_out(room, Expire(), now, log)  # first, as the host does
        assert room is not None
        command = step if not isinstance(step, int) else the_next_move(room, step)
        room, log = carried_out(room, command, now, log)
        assert room is not None
    stored = [json.loads(json.dumps(codec.encode(event))) for event in log]
    assert [codec.decode(plain) for plain in stored] == log
    assert replay(map(codec.decode, stored)) == room


def the_next_move(room: Room, nth: int) -> Command:
    free = list(cells(room.position.playable()))
    if room.turn is None or not free:
        return Rematch(PlayerId("nobody"))
    return Play(mover(room.seats[room.turn]), free[nth % len(free)], len(room.moves))


def carried_out(
    room: Room | None, command: Command, now: int, log: list[Event]
) -> tuple[Room | None, list[Event]]:
    """Carry a command out as the host does, and check every property on the way."""
    before = repr(room)
    answer = answered(room, command, now=now)
    assert repr(room) == before
    if room is not None and isinstance(command, Play | Resign | Claim | Rematch):
        named, unnamed = replace(command, game=room.game), replace(command, game=None)
        assert answered(room, named, now=now) == answered(room, unnamed, now=now)
    if isinstance(answer, Reason):
        assert answered(room, command, now=now) is answer
        return room, log
    for event in answer:
        assert event.at == now
        after = evolve(room, event)
        assert after.seq == (room.seq if room else 0) + 1
        assert after.changed == now
        check_score(room, event, after)
        check_room(after)
        room = after
    assert room is not None
    check_repeat(room, command, now)
    return room, [*log, *answer]


def check_room(room: Room) -> None:
    """Check that the moves are legal and make the board, and that the clock runs when it should."""
    position = Position(room.variant)
    for cell in room.moves:
        assert position.outcome() is None
        assert cell in set(cells(position.playable()))
        position = position.play(cell)
    assert position == room.position
    on_board = position.outcome()
    assert on_board is None or room.outcome == on_board
    assert (room.status == "over") == (room.outcome is not None)
    assert (room.turn is not None) == (room.status == "playing")
    assert not room.rematch_asked or room.status == "over"
    assert min(*room.score, room.draws) >= 0
    if room.clock is not None:
        has_begun = len(room.moves) > room.opening
        assert (room.clock.since is not None) == (room.status == "playing" and has_begun)
        assert min(room.clock.budgets) >= 0
        if room.clock.since is not None:
            assert room.clock.turn is room.turn


def check_score(before: Room | None, event: Event, after: Room) -> None:
    """Check that the score counts each game once, swaps with the marks, and else only restarts."""
    if before is None:
        assert after.score == (0, 0)
        return
    score, draws = before.score, before.draws
    if before.outcome is None and after.outcome is not None:
        winner = after.outcome.winner
        gained = (winner is Mark.X, winner is Mark.O)
        expected = (score[0] + gained[0], score[1] + gained[1], draws + (winner is None))
    elif isinstance(event, GameStarted):
        expected = (score[1], score[0], draws)
    else:
        expected = (*score, draws)
    shown = (*after.score, after.draws)
    assert shown == expected or (shown == (0, 0, 0) and before.seats != after.seats)


def check_repeat(room: Room, command: Command, now: int) -> None:
    """Check that the same command, sent again at once, changes nothing more."""
    again = answered(room, command, now=now)
    match command:
        case Wake():
            return  # sent by the host only, once each time a room wakes
        case Rematch(game=None):
            allowed: tuple[object, ...] = ((), Reason.GAME_NOT_OVER)  # the next game has started
        case SeatAI() if room.moves == () and room.game > 1:
            # The AI started the game that a player had asked for, so the seats are swapped.
            allowed = ((), Reason.SEAT_TAKEN, Reason.NOT_SEATED)
        case _:
            allowed = ((),)
    assert again in allowed, f"{command} again: {again}"
