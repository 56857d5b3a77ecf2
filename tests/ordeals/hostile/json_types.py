"""Texts that are no well-formed command: refused as malformed; the socket stays open."""

from __future__ import annotations

import json

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import text

group = Group(__name__)

MOVE = {"type": "play", "id": 7, "room": "@mine", "cell": 0, "ply": 1}


def filled(attack: Attack, plain: object) -> bytes:
    """The text with `@mine` and other names replaced by room ids."""
    filled = plain if isinstance(plain, str) else json.dumps(plain)
    for name, room in attack.arena.rooms.items():
        filled = filled.replace(f"@{name}", room)
    return filled.encode()


def refused(name: str, plain: object, re: object = None, reason: str = "malformed") -> None:
    async def act(attack: Attack) -> None:
        async with attack.greeted() as peer:
            peer.write(text(filled(attack, plain)))
            answer = await peer.answer()
            assert (answer["type"], answer["reason"], answer["re"]) == ("refused", reason, re)
            assert (await peer.ask("ping", id="still here?"))["re"] == "still here?"

    group.add(name, f"it is refused as {reason}", act)


def move(**fields: object) -> dict[str, object]:
    """A move that would be accepted without these fields."""
    return {**MOVE, **fields}


def spelt(**fields: str) -> str:
    """The same, with values in a form that no encoder would write."""
    plain = {name: json.dumps(value) for name, value in MOVE.items()} | fields
    return "{" + ",".join(f'"{name}":{value}' for name, value in plain.items()) + "}"


refused("sends nothing", "")
refused("sends what is not JSON", "play cell 0 please")
refused("sends half a command", spelt()[:-1])
refused("sends two commands in one text", spelt() * 2)
refused("puts its commands in a list", [MOVE])
refused("sends null", "null")
refused("sends a byte order mark first", "\ufeff" + spelt())
refused("asks for what there is not", {"type": "win", "id": 7}, re=7)
refused("leaves the type out", {"id": 7}, re=7)
refused("gives a list of types", {"type": ["play"], "id": 7}, re=7)
refused("leaves the ply out", {key: MOVE[key] for key in MOVE if key != "ply"}, re=7)
refused("adds a field of its own", move(force=True), re=7)
refused("adds __proto__", move(__proto__={"seat": "X"}), re=7)
refused("plays NaN", spelt(cell="NaN"))
refused("plays Infinity", spelt(cell="-Infinity"))
refused("plays 1e400", spelt(cell="1e400"), re=7)
refused("plays 0.0", spelt(cell="0.0"), re=7)
refused("plays minus nothing at all", spelt(cell="-0.0"), re=7)
refused("plays true", move(cell=True), re=7)
refused("plays null", move(cell=None), re=7)
refused("plays a text", move(cell="0"), re=7)
refused("plays a list", move(cell=[0]), re=7)
refused("plays an octal number", spelt(cell="00"))
refused("plays a number of 3000 digits", spelt(cell="9" * 3000), re=7, reason="no_such_cell")
refused("plays cell 2^63", move(cell=2**63), re=7, reason="no_such_cell")
refused("plays cell 2^64, which is 0 to some", move(cell=2**64), re=7, reason="no_such_cell")
refused("plays at ply 2^64 + 1, which is 1 to some", move(ply=2**64 + 1), re=7, reason="stale")
refused("plays at ply 1.0", spelt(ply="1.0"), re=7)
refused("names the game null", move(game=None), re=7)
refused("names the room 7", move(room=7), re=7)
refused("names the room null", move(room=None), re=7)
refused("names the type last and differently", spelt()[:-1] + ',"type":"dance"}', re=7)
refused("doubles the cell, badly at last", spelt()[:-1] + ',"cell":"0"}', re=7)
refused("gives an object for an id", move(id={"toString": "x"}))
refused("gives true for an id", move(id=True))
refused("gives an id of 65 characters", move(id="x" * 65))
refused("gives half a surrogate pair for an id", spelt(id='"\\ud800"'))
refused("names half a surrogate pair", spelt(room='"\\udfff"'), re=7, reason="no_such_room")
refused("nests a list 4000 deep", "[" * 4000)
refused("nests a list 2000 deep and closes it", "[" * 2000 + "]" * 2000)
refused("nests a cell 1800 deep", spelt(cell="[" * 1800 + "]" * 1800))
refused("nests an object 600 deep", '{"a":' * 600 + "1" + "}" * 600)
refused("writes three hundred keys", {f"k{n}": n for n in range(300)} | MOVE, re=7)
