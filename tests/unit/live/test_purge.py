"""Old rooms are removed when they are due; rooms in use and unfinished games are kept."""

from __future__ import annotations

import pytest

from server.core.commands import Play, Refused, Rematch, Resign
from server.core.events import Event, MovePlayed, RoomOpened
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.live import purge as module
from server.live.purge import Purge
from server.live.rooms import Rooms
from server.store import Unavailable
from server.store.memory import MemoryStore
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.people import ADA, BO

DAY = 86_400_000


class Scene:
    """Rooms without followers, and a clock."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.store = MemoryStore()
        self.rooms = new_rooms(self.store, self.clock, idle=0)
        self.purge = self.new_purge(self.rooms)

    def new_purge(self, rooms: Rooms) -> Purge:
        return Purge(self.store, rooms, now=self.clock, keep_unstarted=DAY, keep_finished=30 * DAY)

    async def room(
        self, id: str, *, moves: int = 0, over: bool = False, again: bool = False
    ) -> None:
        host = await open_room(self.rooms, id=id)
        for ply in range(moves):
            await host.submit_and_wait(Play((ADA, BO)[ply % 2].id, ply, ply))
        if over:
            await host.submit_and_wait(Resign(ADA.id))
        if again:
            await host.submit_and_wait(Rematch(ADA.id))
            await host.submit_and_wait(Rematch(BO.id))
        self.rooms.sleep_idle()

    async def after(self, days: int) -> list[str]:
        """The rooms that remain after `days` days."""
        self.clock.now += days * DAY
        await self.purge.step()
        return [entry.room for entry in await self.store.rooms()]


@pytest.fixture
async def scene() -> Scene:
    return Scene()


async def test_a_room_without_a_move_is_removed_after_a_day(scene: Scene) -> None:
    await scene.room("unused")
    scene.clock.now += DAY - 1
    assert await scene.after(0) == ["unused"]
    scene.clock.now += 1
    assert await scene.after(0) == []
    with pytest.raises(Refused, match="no_such_room"):
        await scene.rooms.find("unused")


async def test_a_finished_room_is_removed_after_a_month(scene: Scene) -> None:
    await scene.room("over", moves=3, over=True)
    await scene.room("unplayed", over=True)
    await scene.room("rematch", moves=3, over=True, again=True)
    assert await scene.after(29) == ["over", "rematch", "unplayed"]
    assert await scene.after(1) == []


async def test_an_unfinished_game_is_kept(scene: Scene) -> None:
    await scene.room("waiting", moves=3)
    assert await scene.after(3_000) == ["waiting"]


async def test_a_room_that_is_awake_is_kept(scene: Scene) -> None:
    await scene.room("unused")
    await scene.rooms.find("unused")
    assert await scene.after(300) == ["unused"]


async def test_a_room_that_changes_during_the_purge_is_kept(scene: Scene) -> None:
    """Another process may have the room awake; the store refuses to remove it."""
    await scene.room("unused")
    entries = await scene.store.rooms()
    await (await scene.rooms.find("unused")).submit_and_wait(Play(ADA.id, 0, 0))
    stale = scene.new_purge(new_rooms(MemoryStore()))
    scene.clock.now += DAY
    assert not await stale._remove_if_old(entries[0])
    assert (await scene.store.rooms())[0].seq == entries[0].seq + 1


async def test_many_rooms_are_checked_a_few_at_a_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROOMS_PER_STEP", 2)
    for number in range(5):
        await scene.room(f"r{number}", moves=number % 2)
    scene.clock.now += DAY
    assert await scene.after(0) == ["r1", "r2", "r3", "r4"]
    assert await scene.after(0) == ["r1", "r3", "r4"]
    assert await scene.after(0) == ["r1", "r3"]
    assert await scene.after(0) == ["r1", "r3"]


@pytest.mark.parametrize("illegal", [MovePlayed(2, Mark.X, 99), RoomOpened(2, CLASSIC, True)])
async def test_a_log_that_cannot_be_replayed_is_kept_and_logged_once(
    scene: Scene, illegal: Event, caplog: pytest.LogCaptureFixture
) -> None:
    illegal_log = [RoomOpened(1, CLASSIC, True), *[illegal] * CLASSIC.shortest]
    await scene.store.append_and_wait(RoomId("r0"), 0, illegal_log)
    await scene.room("r1")

    assert await scene.after(1) == ["r0"]
    assert await scene.after(1) == ["r0"]
    assert [record.args for record in caplog.records] == [("r0",)]


async def test_the_purge_goes_on_after_a_store_that_could_not_be_read(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cannot(*_: object) -> None:
        raise Unavailable

    await scene.room("unused")
    scene.clock.now += DAY
    for broken in ("rooms", "load", "remove"):
        with monkeypatch.context() as patched:
            patched.setattr(scene.store, broken, cannot)
            await scene.purge.step()
    assert await scene.store.load(RoomId("unused"))
    assert await scene.after(0) == []
