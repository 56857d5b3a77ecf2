"""`noughts rooms STORE`: which rooms a store has, and how many of each kind."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import time
from typing import get_args

import msgspec

from noughts.shapes import Status
from server import options
from server.command import Bar, answer, counted, new_parser
from server.core.room import AI, Holder, Room, RoomId
from server.core.rules import VARIANTS
from server.operate.log import time_of
from server.operate.reading import Logs, Unreplayable, open_logs, replay

SHOWN_EVERY = 25  # rooms between two redraws of the bar
COLUMNS = ("room", "variant", "status", "game", "moves", "changed", "X", "O")


class Listed(msgspec.Struct):
    """One room. `changed`: milliseconds since 1970."""

    room: RoomId
    public: bool
    variant: str
    status: Status
    game: int
    moves: int
    seq: int
    changed: int
    X: str
    O: str

    @classmethod
    def of(cls, id: RoomId, room: Room) -> Listed:
        x, o = map(_name, room.seats)
        return cls(
            id,
            room.public,
            room.variant.name,
            room.status,
            room.game,
            len(room.moves),
            room.seq,
            room.changed,
            x,
            o,
        )


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rooms are wanted; None for all. `name` is part of the name of somebody seated."""

    variant: str | None = None
    status: str | None = None
    since: int | None = None
    name: str | None = None

    def fits(self, listed: Listed) -> bool:
        if self.variant not in (None, listed.variant) or self.status not in (None, listed.status):
            return False
        if self.since is not None and listed.changed < self.since:
            return False
        names = f"{listed.X}\n{listed.O}".casefold()
        return self.name is None or self.name.casefold() in names


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "rooms",
        "List the rooms of a store, newest first, and count them. Nothing is changed. The server "
        "may run meanwhile.",
        "noughts rooms sqlite:noughts.db --status playing --since 2h",
        "1 if a room does not replay, or the store cannot be read",
    )
    parser.add_argument("store", metavar="STORE", help="sqlite:PATH or nats://HOST:PORT")
    parser.add_argument("--variant", choices=list(VARIANTS), help="rooms with this game")
    parser.add_argument("--status", choices=get_args(Status), help="rooms in this status")
    parser.add_argument(
        "--since",
        metavar="WHEN",
        type=_instant,
        help="rooms that have changed since: a span such as 2h or 7d, or a date (UTC)",
    )
    parser.add_argument("--name", metavar="TEXT", help="rooms where somebody's name has this")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args(arguments)
    wanted = Filter(given.variant, given.status, given.since, given.name)
    return answer(lambda: run(given.store, wanted, as_json=given.json))


def run(store: str, wanted: Filter, *, as_json: bool) -> int:
    with open_logs(store) as logs:
        listed, broken = list_rooms(logs)
    shown = sorted(filter(wanted.fits, listed), key=lambda it: it.changed, reverse=True)
    totals = count(shown)
    if as_json:
        document = {"rooms": shown, "totals": totals, "unreadable": broken}
        print(msgspec.json.encode(document).decode())
    else:
        for line in _table(shown):
            print(line)
        print(_sentence(len(shown), totals))
    for room, problem in broken.items():
        print(f"room {room} does not replay: {problem}", file=sys.stderr)
    return 1 if broken else 0


def list_rooms(logs: Logs) -> tuple[list[Listed], dict[RoomId, str]]:
    """Every room that replays, and for every other one the reason."""
    bar, ids = Bar("rooms"), logs.rooms()
    listed: list[Listed] = []
    broken: dict[RoomId, str] = {}
    for number, id in enumerate(ids, 1):
        try:
            listed.append(Listed.of(id, replay(logs.log(id))))
        except Unreplayable as problem:
            broken[id] = str(problem)
        if number % SHOWN_EVERY == 0 or number == len(ids):
            bar(number, len(ids))
    return listed, broken


def count(listed: list[Listed]) -> dict[str, dict[str, int]]:
    return {
        "status": dict(Counter(room.status for room in listed)),
        "variant": dict(Counter(room.variant for room in listed)),
    }


def _table(listed: list[Listed]) -> Iterator[str]:
    if not listed:
        return
    rows = [COLUMNS] + [
        (r.room, r.variant, r.status, str(r.game), str(r.moves), time_of(r.changed), r.X, r.O)
        for r in listed
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def _sentence(number: int, totals: dict[str, dict[str, int]]) -> str:
    counts = [", ".join(f"{n} {what}" for what, n in kind.items()) for kind in totals.values()]
    return "; ".join([counted(number, "room"), *filter(None, counts)])


def _name(holder: Holder) -> str:
    if holder is None:
        return "-"
    if not isinstance(holder, AI):
        return holder.name
    covers = f" for {holder.covers.name}" if holder.covers else ""
    return f"AI {holder.level}{covers}"


def _instant(text: str) -> int:
    """The instant that a span or a date stands for, in milliseconds."""
    try:
        return round(time() * 1000) - options.span(text)
    except ArgumentTypeError:
        pass
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no span such as 7d, and no date") from None
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


if __name__ == "__main__":
    sys.exit(main())
