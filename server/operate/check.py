"""`noughts check STORE`: is the file sound, and does every room replay?"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from server.command import Bar, answer, counted, new_parser
from server.core.room import RoomId
from server.operate.reading import Logs, Unreplayable, open_logs, path_of, replay
from server.store.reading import reading

SHOWN_EVERY = 25  # rooms between two redraws of the bar


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "check",
        "Check a store: the file is sound, every room replays, and no event is lost. Nothing is "
        "changed.\nThe server may run meanwhile.",
        "noughts check sqlite:/var/lib/noughts/noughts.db",
        "1 if something is wrong, each problem in a line",
    )
    parser.add_argument("store", metavar="STORE", help="sqlite:PATH or nats://HOST:PORT")
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.store))


def run(store: str) -> int:
    problems = list(_look_at_file(store))
    with open_logs(store) as logs:
        rooms, events, broken = check(logs)
    for room, problem in broken:
        problems.append(f"room {room}: {problem}")
    for problem in problems:
        print(problem)
    verdict = counted(len(problems), "problem") if problems else "sound"
    print(f"{counted(rooms, 'room')}, {counted(events, 'event')}: {verdict}")
    return 1 if problems else 0


def check(logs: Logs) -> tuple[int, int, list[tuple[RoomId, str]]]:
    """How many rooms and events there are, and the rooms that do not replay, with the reason."""
    bar, rooms, events = Bar("rooms"), logs.rooms(), 0
    broken: list[tuple[RoomId, str]] = []
    for number, room in enumerate(rooms, 1):
        try:
            log = logs.log(room)
            events += len(log)
            replay(log)
        except Unreplayable as problem:
            broken.append((room, str(problem)))
        if number % SHOWN_EVERY == 0 or number == len(rooms):
            bar(number, len(rooms))
    return len(rooms), events, broken


def _look_at_file(store: str) -> Iterator[str]:
    """What is wrong with the file of a store, if it has one."""
    if store.startswith("nats:"):
        return
    with reading(path_of(store)) as file:
        yield from (f"the file is damaged: {complaint}" for complaint in file.complaints())


if __name__ == "__main__":
    sys.exit(main())
