"""`noughts log STORE ROOM`: what has happened in a room, with the board after each event."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import assert_never

from server import codec
from server.command import Failed, answer, new_parser
from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
)
from server.core.room import Room, RoomId
from server.operate.drawing import draw
from server.operate.reading import Unreplayable, open_logs, states


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "log",
        "Show every event of a room with its time (UTC), and the board after it. Nothing is "
        "changed.\nThe server may run meanwhile.",
        "noughts log sqlite:noughts.db Jx3kQ9aTnB2mWc7L",
        "1 if there is no such room, or it does not replay",
    )
    parser.add_argument("store", metavar="STORE", help="sqlite:PATH or nats://HOST:PORT")
    parser.add_argument("room", metavar="ROOM", help="its id, as in its address")
    parser.add_argument("--json", action="store_true", help="one JSON object for each event")
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.store, RoomId(given.room), as_json=given.json))


def run(store: str, room: RoomId, *, as_json: bool) -> int:
    with open_logs(store) as logs:
        try:
            events = logs.log(room)
            if not events:
                raise Failed(f"there is no room {room} in {store}")
            for event, after in states(events):
                print(_as_json(event, after) if as_json else _as_text(event, after))
        except Unreplayable as problem:
            raise Failed(f"room {room} does not replay: {problem}") from problem
    return 0


def time_of(instant: int) -> str:
    """An instant in milliseconds as text.

    >>> time_of(1_794_700_800_250)
    '2026-11-15T00:00:00.250Z'
    """
    try:
        at = datetime.fromtimestamp(instant // 1000, UTC)
    except (ValueError, OverflowError, OSError):  # a broken clock has written it
        return f"{instant} ms"
    return f"{at:%Y-%m-%dT%H:%M:%S}.{instant % 1000:03d}Z"


def _as_json(event: Event, room: Room) -> str:
    marks = [room.position.at(cell) for cell in range(room.variant.size)]
    shown = {
        "seq": room.seq,
        "time": time_of(event.at),
        "event": codec.encode(event),
        "game": room.game,
        "status": room.status,
        "board": "".join("." if mark is None else mark.name for mark in marks),
    }
    return json.dumps(shown, ensure_ascii=False)


def _as_text(event: Event, room: Room) -> str:
    head = f"{room.seq:>4}  {time_of(event.at)}  {tell(event, room)}"
    if room.finished is not None and isinstance(event, MovePlayed | GameForfeited):
        head += f"; {_outcome(room)}"
    return "\n".join([head, *(f"      {line}" for line in draw(room)), ""])


def tell(event: Event, room: Room) -> str:
    """An event in words. `room` is as it is after it."""
    match event:
        case RoomOpened(variant=variant, public=public):
            kind = "public" if public else "private"
            time = f", with a clock of {event.time.budget // 1000} s" if event.time else ""
            return f"a {kind} room for {variant.name} was opened{time}"
        case SeatTaken(mark=mark, person=person):
            return f"{person.name} ({person.id}) has taken {mark.name}"
        case SeatLeft(mark=mark):
            return f"{mark.name} was left"
        case AISeated(mark=mark, level=level):
            return f"the AI ({level}) plays {mark.name}"
        case AIDismissed(mark=mark):
            return f"the AI has left {mark.name}"
        case MovePlayed(mark=mark, cell=cell):
            row, column = divmod(cell, room.variant.columns)
            return f"{mark.name} plays cell {cell} (row {row + 1}, column {column + 1})"
        case GameForfeited(loser=loser, by=by):
            return f"{loser.name} has lost by {by.value}"
        case RematchAsked(mark=mark):
            return f"{mark.name} asks for a rematch"
        case GameStarted():
            return f"game {room.game} has begun, with the marks swapped"
        case ClockResumed():
            return "the clock runs again"
        case _:
            assert_never(event)


def _outcome(room: Room) -> str:
    outcome = room.outcome
    assert outcome is not None
    if outcome.winner is None:
        return f"game {room.game} is a draw ({outcome.by.value})"
    return f"{outcome.winner.name} wins game {room.game} ({outcome.by.value})"


if __name__ == "__main__":
    sys.exit(main())
