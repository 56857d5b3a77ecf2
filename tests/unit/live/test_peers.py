"""Who is connected, seen through peers without a socket."""

from __future__ import annotations

import json

from server.live.house import House
from server.live.outbox import Outbox
from server.live.peer import Peer
from tests.support.houses import new_house, open_room
from tests.support.outboxes import tick
from tests.support.wire import Wire

HELLO = b'{"type":"hello","protocol":1}'


def connected(house: House, address: str = "192.0.2.1") -> tuple[Peer, Wire]:
    wire = Wire()
    return Peer(house, Outbox(wire, house.scheduler), address, lambda _: None), wire


async def test_a_peer_is_known_from_its_connection_until_it_is_dropped() -> None:
    house = new_house()
    peer, _ = connected(house)
    assert list(house.peers) == [peer]
    assert (peer.address, peer.since, peer.following) == ("192.0.2.1", house.now(), 0)

    peer.drop()
    peer.drop()

    assert len(house.peers) == 0


async def test_a_frame_goes_to_everybody_who_has_said_hello() -> None:
    house = new_house()
    (ada, hers), (_, silent) = connected(house), connected(house)
    ada.handle(HELLO, 0.0)

    house.peers.send(b"\x81\x02{}")
    await tick()

    assert hers.frames[-1] == {}
    assert silent.frames == []


async def test_nobody_follows_a_room_that_was_removed() -> None:
    house = new_house()
    host = await open_room(house.rooms)
    peer, wire = connected(house)
    peer.handle(HELLO, 0.0)
    peer.handle(json.dumps({"type": "watch", "room": "room"}).encode(), 0.0)
    assert peer.following == 1

    await house.rooms.remove("room")
    await tick()

    assert peer.following == 0
    assert not host.audience
    assert wire.of_type("closed") == [
        {"type": "closed", "room": "room", "text": "The operator has closed this room."}
    ]
