"""One peer without a socket: texts in, frames out, and the one callback that wakes its socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Hashable

import pytest

from noughts.messages import Close
from server import identity
from server.bus import Alone
from server.core.rules import Cell, Mark, Position
from server.core.verdicts import Verdict
from server.identity import Token
from server.live.host import RoomHost
from server.live.house import House
from server.live.limits import Limits
from server.live.outbox import Outbox
from server.live.peer import Peer
from server.metrics import Metrics
from server.store.memory import MemoryStore
from server.wire.closing import Closing
from tests.support.clockwork import settle
from tests.support.houses import HandClock, new_house, open_room
from tests.support.outboxes import tick
from tests.support.people import BO
from tests.support.stores import Gated, Slow
from tests.support.wire import Frame, Wire

TOKEN = Token("A" * 43)
ADA = identity.person(TOKEN, "Ada")
HERE = "192.0.2.1"


class Line:
    """A peer, the wire it is sent frames on, and the calls that woke its socket."""

    def __init__(self, house: House, *, greets: bool = True) -> None:
        self.house = house
        self.wire = Wire()
        self.woken: list[Exception | None] = []
        self.now = 1_000.0  # moves on by 10 s with each request, so that nothing is too fast
        self.peer = Peer(house, Outbox(self.wire, house.scheduler), HERE, self.woken.append)
        if greets:
            self.ask("hello", protocol=1, token=TOKEN, name="Ada")

    def ask(self, type: str, **fields: object) -> None:
        self.now += 10.0
        self.peer.handle(json.dumps({"type": type, **fields}).encode(), self.now)

    async def answered(self, type: str, **fields: object) -> Frame:
        """Send a request and return its answer."""
        await settle()
        before = len(self.answers)
        self.ask(type, **fields)
        await settle()
        [answer] = self.answers[before:]
        return answer

    @property
    def answers(self) -> list[Frame]:
        return [frame for frame in self.wire.frames if "re" in frame]


# ---------------------------------------------------------------------------------------- hello


async def test_every_other_request_before_hello_is_refused() -> None:
    line = Line(new_house(), greets=False)

    assert (await line.answered("ping", id=1))["reason"] == "hello_first"
    assert (await line.answered("hello", id=2, protocol=1))["type"] == "welcome"
    assert (await line.answered("ping", id=3))["type"] == "pong"


async def test_welcome_names_the_player_and_the_limits() -> None:
    line = Line(new_house(), greets=False)

    welcome = await line.answered("hello", id=1, protocol=1, token=TOKEN, name=" Ada ")

    assert welcome["player"] == {"id": ADA.id, "name": "Ada"}
    assert welcome["token"] == TOKEN
    assert welcome["limits"]["cover_after"] == 20_000


async def test_a_second_hello_is_malformed_and_the_first_one_stays() -> None:
    line = Line(new_house())

    answer = await line.answered("hello", id=1, protocol=1, name="Eve")

    assert (answer["re"], answer["reason"]) == (1, "malformed")
    assert (await line.answered("ping"))["type"] == "pong"


@pytest.mark.parametrize("greets", [False, True])
async def test_an_unknown_protocol_is_refused_and_ends_the_connection(greets: bool) -> None:
    line = Line(new_house(), greets=greets)

    with pytest.raises(Closing) as closing:
        line.ask("hello", id=1, protocol=2)
    await tick()

    assert closing.value.code is Close.POLICY
    assert line.answers[-1]["reason"] == "unsupported_protocol"


# -------------------------------------------------------------------------------------- conduct


async def test_a_malformed_request_is_refused_with_its_id_and_counted() -> None:
    line = Line(new_house())

    answer = await line.answered("play", id=7, room="room", cell="4", ply=0)

    assert (answer["re"], answer["reason"]) == (7, "malformed")
    assert "cell" in answer["text"]
    assert line.house.metrics.refused["unreadable", "malformed"] == 1


async def test_the_tenth_malformed_frame_ends_the_connection() -> None:
    line = Line(new_house())

    for _ in range(9):
        line.peer.handle(b"nonsense", line.now)
    with pytest.raises(Closing) as closing:
        line.peer.handle(b"nonsense", line.now)

    assert closing.value.code is Close.POLICY


async def test_bytes_that_are_not_utf_8_end_the_connection() -> None:
    line = Line(new_house())

    with pytest.raises(Closing) as closing:
        line.peer.handle(b"\xff", line.now)

    assert closing.value.code is Close.NOT_UTF8


async def test_requests_that_come_too_fast_are_refused_and_the_hundredth_is_the_last() -> None:
    line = Line(new_house())
    line.now += 10.0
    ping = b'{"type":"ping","id":1}'

    for _ in range(20 + 99):
        line.peer.handle(ping, line.now)
    with pytest.raises(Closing, match="too many frames"):
        line.peer.handle(ping, line.now)
    await tick()

    kinds = [answer.get("reason", answer["type"]) for answer in line.answers[1:]]
    assert kinds == ["pong"] * 20 + ["too_fast"] * 100


async def test_what_has_waited_while_our_own_loop_stood_still_is_no_strike() -> None:
    house = new_house()
    line = Line(house)
    house.stalls.measure(line.now)
    line.now += 60.0

    for _ in range(300):
        line.peer.handle(b'{"type":"ping","id":1}', line.now)
        line.peer.count_control_frame(line.now)
    await tick()

    assert line.answers[-1]["reason"] == "too_fast"


async def test_ping_frames_share_the_rate_of_requests() -> None:
    line = Line(new_house())

    allowed = [line.peer.count_control_frame(line.now + 10) for _ in range(30)]

    assert allowed == [True] * 20 + [False] * 10


# ---------------------------------------------------------------------------------------- rooms


async def test_a_room_that_is_awake_is_shown_within_one_call() -> None:
    house = new_house()
    await open_room(house.rooms)
    line = Line(house)

    line.ask("watch", id=1, room="room")

    assert not line.peer.is_busy, "no task was started"
    await tick()
    assert [frame["type"] for frame in line.wire.frames] == ["welcome", "accepted", "state"]


async def test_a_sleeping_room_is_woken_by_a_task_that_keeps_the_peer_busy() -> None:
    store = Slow()
    await open_room(new_house(store).rooms)
    line = Line(new_house(store))

    line.ask("watch", id=1, room="room")
    assert line.peer.is_busy
    assert line.woken == []
    await asyncio.sleep(0.2)

    assert not line.peer.is_busy
    assert line.woken == [None]
    assert [frame["type"] for frame in line.wire.frames[:3]] == ["welcome", "accepted", "state"]


async def test_a_peer_that_is_dropped_before_its_room_is_awake_does_not_follow_it() -> None:
    store = Slow()
    await open_room(new_house(store).rooms)
    line = Line(new_house(store))

    line.ask("watch", id=1, room="room")
    line.peer.drop()
    await asyncio.sleep(0.2)

    [host] = line.house.rooms
    assert not host.audience


async def test_a_drop_keeps_the_seat_and_stops_following() -> None:
    house = new_house()
    line = Line(house)
    created = await line.answered("create", id=1)
    host = await house.rooms.find(created["room"])
    assert host.audience.is_online(Mark.X)

    line.peer.drop()
    line.peer.drop()  # a socket may end from two sides

    assert not host.audience
    assert host.room.seats[Mark.X] == ADA


async def test_a_move_is_answered_before_its_state() -> None:
    house = new_house()
    await open_room(house.rooms, ADA, BO)
    line = Line(house)
    await line.answered("watch", room="room")

    answer = await line.answered("play", id=3, room="room", cell=4, ply=0)

    assert answer == {"type": "accepted", "re": 3, "room": "room", "seq": 4}
    assert [frame["type"] for frame in line.wire.frames[-2:]] == ["accepted", "state"]


async def test_a_player_who_sits_down_follows_and_is_shown_the_room() -> None:
    house = new_house()
    host = await open_room(house.rooms, None, BO)
    line = Line(house)

    await line.answered("sit", id=1, room="room", seat="X")

    assert host.audience.is_online(Mark.X)
    assert line.wire.frames[-1]["seats"]["X"]["player"] == ADA.id


async def test_a_stale_refusal_is_followed_by_the_current_state() -> None:
    house = new_house()
    await open_room(house.rooms, ADA, BO)
    line = Line(house)

    answer = await line.answered("play", id=1, room="room", cell=4, ply=3)

    assert answer["reason"] == "stale"
    assert line.wire.frames[-1]["type"] == "state"


async def test_a_stale_refusal_outside_a_room_is_followed_by_no_state() -> None:
    line = Line(new_house())

    answer = await line.answered("meet", id=1, player="nobody")

    assert answer["reason"] == "stale"
    assert line.wire.of_type("state") == []


async def test_unwatch_stops_the_states_and_works_without_a_watch() -> None:
    house = new_house()
    host = await open_room(house.rooms)
    line = Line(house)
    await line.answered("watch", room="room")

    await line.answered("unwatch", id=1, room="room")
    assert not host.audience
    assert (await line.answered("unwatch", id=2, room="room"))["type"] == "accepted"


async def test_a_peer_follows_a_limited_number_of_rooms() -> None:
    limits = Limits(rooms_followed=1)
    house = House(MemoryStore(), Alone(), limits, Metrics(), now=HandClock(), ai_pause=0)
    for name in ("one", "two"):
        await open_room(house.rooms, None, BO, id=name)
    line = Line(house)
    await line.answered("watch", room="one")

    for type, fields in (("watch", {}), ("sit", {"seat": "X"})):
        answer = await line.answered(type, room="two", **fields)
        assert answer["reason"] == "too_many_rooms"
    assert (await line.answered("create"))["reason"] == "too_many_rooms"
    assert (await line.answered("watch", room="one"))["type"] == "accepted"
    await line.answered("unwatch", room="one")
    assert (await line.answered("watch", room="two"))["type"] == "accepted"


async def test_only_a_follower_may_say_one_of_the_phrases() -> None:
    house = new_house()
    await open_room(house.rooms)
    line = Line(house)

    assert (await line.answered("say", room="room", phrase="wow"))["reason"] == "not_here"
    await line.answered("watch", room="room")
    assert (await line.answered("say", room="room", phrase="boo"))["reason"] == "no_such_phrase"
    assert (await line.answered("say", room="room", phrase="wow"))["type"] == "accepted"
    assert line.wire.of_type("said")[-1]["player"]["id"] == ADA.id


async def test_the_same_nonce_finds_the_same_room() -> None:
    line = Line(new_house(limits=Limits(rooms_per_minute_per_player=1)))

    answers = [await line.answered("create", nonce="n") for _ in range(3)]

    assert len({answer["room"] for answer in answers}) == 1, "and the others count for no limit"
    assert len(line.house.rooms) == 1


@pytest.mark.parametrize(
    ("type", "fields"), [("create", {}), ("quick", {"on": True}), ("meet", {"player": "x"})]
)
async def test_a_draining_server_opens_no_room(type: str, fields: dict[str, object]) -> None:
    line = Line(new_house())
    line.house.is_draining = True

    assert (await line.answered(type, **fields))["reason"] == "draining"


# ------------------------------------------------------------------------ one request at a time


async def gated() -> tuple[Line, Gated, RoomHost]:
    store = Gated()
    house = new_house(store)
    host = await open_room(house.rooms, ADA, BO)
    line = Line(house)
    await line.answered("watch", room="room")
    line.woken.clear()
    store.is_gated = True
    return line, store, host


async def test_a_command_keeps_the_peer_busy_until_it_is_durable() -> None:
    line, store, _ = await gated()

    line.ask("play", id=1, room="room", cell=4, ply=0)
    assert (line.peer.is_busy, line.woken) == (True, [])
    store.open_gate()
    await tick()

    assert (line.peer.is_busy, line.woken) == (False, [None])
    assert line.answers[-1]["type"] == "accepted"


async def test_a_store_that_cannot_write_refuses_and_wakes_the_socket() -> None:
    line, store, host = await gated()

    line.ask("play", id=1, room="room", cell=4, ply=0)
    store.is_down = True
    store.open_gate()
    await tick()

    assert line.woken == [None]
    assert line.answers[-1]["reason"] == "retry"
    assert host.room.moves == ()


async def test_our_own_fault_in_a_reply_wakes_the_socket_with_the_exception(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, store, _ = await gated()
    monkeypatch.setattr("server.live.host.Snapshots.text", lambda self, room: 1 // 0)

    line.ask("play", id=1, room="room", cell=4, ply=0)
    store.open_gate()

    [problem] = line.woken
    assert isinstance(problem, ZeroDivisionError)
    assert not line.peer.is_busy


async def test_our_own_fault_in_an_answer_wakes_the_socket_with_the_exception(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = new_house()
    await open_room(house.rooms, None, BO)
    line = Line(house)
    monkeypatch.setattr("server.live.audience.Audience.add", lambda self, outbox: 1 // 0)

    line.ask("sit", id=1, room="room", seat="X")

    [problem] = line.woken
    assert isinstance(problem, ZeroDivisionError)


async def test_our_own_fault_in_a_task_wakes_the_socket_with_the_exception(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(new_house())
    monkeypatch.setattr("server.live.rooms.Rooms.open", lambda self, id, command: 1 // 0)

    line.ask("create", id=1)
    await settle()

    [problem] = line.woken
    assert isinstance(problem, ZeroDivisionError)


async def test_a_command_to_a_sleeping_room_wakes_the_socket_once_it_is_durable() -> None:
    store = Gated()
    await open_room(new_house(store).rooms, ADA, BO)
    line = Line(new_house(store))
    store.is_gated = True

    line.ask("play", id=1, room="room", cell=4, ply=0)
    await settle()
    assert (line.peer.is_busy, line.woken) == (True, []), "the append is still held back"
    store.open_gate()
    await tick()

    assert (line.peer.is_busy, line.woken) == (False, [None])


# ------------------------------------------------------------------------------------- analysis


async def test_a_player_may_not_analyse_a_running_game() -> None:
    house = new_house()
    await open_room(house.rooms, ADA, BO)
    line = Line(house)

    assert (await line.answered("analyse", room="room"))["reason"] == "players_may_not"


@pytest.mark.parametrize(
    ("verdicts", "answer"),
    [
        (None, "retry"),
        ({4: Verdict("unknown", None, -7)}, "analysis"),
        ({4: Verdict("draw", 9)}, "analysis"),
    ],
)
async def test_an_analysis_is_answered_or_refused(
    verdicts: dict[Cell, Verdict] | None, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = new_house()
    await open_room(house.rooms, BO, None)
    line = Line(house)

    async def judge(position: Position, asker: Hashable) -> dict[Cell, Verdict] | None:
        return verdicts

    monkeypatch.setattr(house.pool, "judge", judge)
    given = await line.answered("analyse", room="room")
    assert given.get("text", "").startswith("The computer is busy.") is (answer == "retry")

    assert given.get("reason", given["type"]) == answer


async def test_an_analysis_of_a_move_that_was_not_played_is_stale() -> None:
    house = new_house()
    await open_room(house.rooms, BO, None)
    line = Line(house)

    assert (await line.answered("analyse", room="room", ply=1))["reason"] == "stale"
