"""docs/protocol.md §2: well-formed commands, and the `re` of each answer."""

from __future__ import annotations

import json

import pytest

from tests.support.dialling import Frame, Player, dialled
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOM = "AAAAAAAAAAAAAAAA"  # well-formed, but no such room exists


async def asked(server: Served, text: str) -> Frame:
    """The answer to one frame on a new socket, because ten malformed frames would close it."""
    async with dialled(server.ws) as player:
        answer = await player.raw(text)
        assert (await player.ask("ping"))["type"] == "pong"  # the socket stays open
        return answer


@pytest.mark.parametrize("id", [0, 7, -7, 2**63, 2**64, 10**40, "", "a", "é" * 64, "𝄞" * 64])
async def test_an_answer_repeats_the_id_as_it_was(server: Served, id: object) -> None:
    pong = await asked(server, json.dumps({"type": "ping", "id": id}))
    assert pong["type"] == "pong"
    assert pong["re"] == id
    refusal = await asked(server, json.dumps({"type": "watch", "room": ROOM, "id": id}))
    assert refusal["reason"] == "no_such_room"
    assert refusal["re"] == id


async def test_re_is_null_without_an_id(server: Served) -> None:
    assert (await asked(server, '{"type":"ping"}'))["re"] is None
    accepted = await asked(server, '{"type":"create","seats":{"X":"open","O":"open"}}')
    assert accepted["type"] == "accepted"
    assert accepted["re"] is None


@pytest.mark.parametrize("id", [None, True, 1.0, 1.5, [], {}, ["a"], "x" * 65])
async def test_an_id_of_another_kind_is_malformed_and_not_repeated(
    server: Served, id: object
) -> None:
    answer = await asked(server, json.dumps({"type": "ping", "id": id}))
    assert answer["reason"] == "malformed"
    assert answer["re"] is None
    assert "id" in answer["text"]


async def test_a_malformed_command_is_answered_with_its_id(server: Served) -> None:
    answer = await asked(server, '{"type":"play","room":"r","cell":"4","ply":0,"id":"mine"}')
    assert (answer["reason"], answer["re"]) == ("malformed", "mine")


@pytest.mark.parametrize(
    "frame",
    [
        "",
        " ",
        "ping",
        "null",
        "7",
        "[]",
        '"ping"',
        '[{"type":"ping"}]',
        "{}",
        '{"type":"ping"',
        '{"type":"ping"}{"type":"ping"}',
        '{"type":"ping",}',
        "{'type':'ping'}",
        '{"type":"pong"}',
        '{"type":"PING"}',
        '{"type":null}',
        '{"type":7}',
        '{"type":["ping"]}',
        '{"type":"ping","at":1}',
        '{"type":"ping","id":NaN}',
        '{"type":"ping","id":Infinity}',
        '{"type":"watch"}',
        '{"type":"watch","room":7}',
        '{"type":"watch","room":null}',
        '{"type":"watch","room":"r","seat":"X"}',
        '{"type":"sit","room":"r"}',
        '{"type":"sit","room":"r","seat":"x"}',
        '{"type":"sit","room":"r","seat":null}',
        '{"type":"leave","room":"r","seat":"Z"}',
        '{"type":"seat_ai","room":"r","seat":"X"}',
        '{"type":"seat_ai","room":"r","seat":"X","level":3}',
        '{"type":"dismiss_ai","room":"r","seat":"X","level":"easy"}',
        '{"type":"play","room":"r","cell":1}',
        '{"type":"play","room":"r","ply":1}',
        '{"type":"play","room":"r","cell":1,"ply":1,"game":null}',
        '{"type":"play","room":"r","cell":1,"ply":1,"game":"1"}',
        '{"type":"resign","room":"r","game":1.0}',
        '{"type":"rematch","room":"r","game":true}',
        '{"type":"claim"}',
        '{"type":"say","room":"r"}',
        '{"type":"say","room":"r","phrase":1}',
        '{"type":"lobby"}',
        '{"type":"lobby","on":1}',
        '{"type":"lobby","on":null}',
        '{"type":"analyse","room":"r","ply":"1"}',
        '{"type":"analyse","room":"r","ply":null}',
    ],
)
async def test_a_frame_that_is_no_well_formed_command_is_malformed(
    server: Served, frame: str
) -> None:
    answer = await asked(server, frame)
    assert (answer["type"], answer["reason"]) == ("refused", "malformed")
    assert answer["re"] is None
    assert answer["text"]


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param("[" * 4096, id="open brackets"),
        pytest.param("[" * 2048 + "]" * 2048, id="a deep list"),
        pytest.param('{"a":' * 600 + "1" + "}" * 600, id="a deep object"),
        pytest.param('{"type":"ping","x":' + "[" * 1900 + "]" * 1900 + "}", id="deep behind"),
        pytest.param('{"x":' + "[" * 1900 + "]" * 1900 + ',"type":"ping"}', id="deep before"),
        pytest.param('{"type":"\\ud800"}', id="half a pair as the type"),
        pytest.param('{"type":"ping","\\ud800":1}', id="half a pair as a field"),
        pytest.param('{"type":"ping","id":"\\ud800"}', id="half a pair as the id"),
        pytest.param('{"type":"ping","a\\u0000b":1}', id="a field with a zero"),
        pytest.param('{"type":"ping","id":' + "9" * 4000 + ".0}", id="a long number"),
    ],
)
async def test_hostile_json_is_malformed_and_nothing_worse(server: Served, frame: str) -> None:
    answer = await asked(server, frame)
    assert (answer["type"], answer["reason"]) == ("refused", "malformed")


@pytest.mark.parametrize("field", ["cell", "ply"])
@pytest.mark.parametrize("value", ["null", "true", "1.0", "4e0", '"4"', "[4]", "{}", "-0.0"])
async def test_a_cell_or_ply_is_an_integer_and_the_text_says_so(
    server: Served, field: str, value: str
) -> None:
    fields = {"cell": "0", "ply": "0", field: value}
    answer = await asked(
        server,
        f'{{"type":"play","room":"{ROOM}","cell":{fields["cell"]},"ply":{fields["ply"]},"id":1}}',
    )
    assert (answer["reason"], answer["re"]) == ("malformed", 1)
    assert field in answer["text"]


@pytest.mark.parametrize("number", [-1, 9, 10, 2**31, 2**63, 2**64, -(2**64), 10**300])
async def test_an_integer_out_of_range_is_no_such_cell_or_stale(ada: Player, number: int) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    assert await ada.reason("play", room=room, cell=number, ply=0) == "no_such_cell"
    assert await ada.reason("play", room=room, cell=0, ply=number) == "stale"
    assert await ada.reason("play", room=room, cell=0, ply=0, game=number) == "stale"
    assert await ada.reason("analyse", room=room, ply=number) == "stale"


async def test_the_last_of_two_equal_keys_wins(ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})

    async def state_after(fields: str) -> list[int]:
        answer = await ada.raw(f'{{{fields},"room":"{room}"}}')
        assert answer["type"] == "accepted", answer
        return list((await ada.state(room))["moves"])

    assert await state_after('"type":"play","cell":1,"cell":4,"ply":0') == [4]
    assert await state_after('"type":"play","cell":"no","cell":0,"ply":1') == [4, 0]
    assert await state_after('"type":"ping","type":"play","cell":8,"ply":2') == [4, 0, 8]
    assert await state_after('"type":"resign","type":"play","cell":1,"ply":3') == [4, 0, 8, 1]
    assert (await ada.raw('{"type":"ping","id":1,"id":"b"}'))["re"] == "b"
    late = await ada.raw(f'{{"type":"play","cell":2,"cell":"no","ply":4,"room":"{room}"}}')
    assert late["reason"] == "malformed"


async def test_the_last_of_two_types_with_the_same_fields_wins(ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    answer = await ada.raw(f'{{"type":"rematch","room":"{room}","type":"resign"}}')
    assert answer["type"] == "accepted"
    assert (await ada.state(room))["status"] == "over"
    answer = await ada.raw(f'{{"room":"{room}","type":"resign","type":"rematch"}}')
    assert answer["type"] == "accepted"
    assert (await ada.state(room))["game"] == 2


async def test_a_command_may_come_in_several_fragments(ada: Player) -> None:
    await ada.socket.send(['{"type":"ping",', '"id":"in ', 'parts"}'])
    assert (await ada.until(lambda frame: "re" in frame))["re"] == "in parts"


async def test_space_around_a_command_does_no_harm(server: Served) -> None:
    assert (await asked(server, ' \n{ "type" : "ping" , "id" : 3 }\t'))["re"] == 3


async def test_answers_keep_the_order_of_their_commands_even_behind_a_slow_one(
    ada: Player,
) -> None:
    room = await ada.create(seats={"X": "me", "O": {"ai": "perfect"}})
    asked = []
    for _ in range(5):
        asked.append(await ada.send("analyse", room=room))  # asks the AI's processes
        asked.append(await ada.send("create", public=False))  # waits for the store
        asked += [await ada.send("ping"), await ada.send("ping")]

    answered: list[object] = []
    while len(answered) < len(asked):
        answered.append((await ada.until(lambda frame: "re" in frame))["re"])

    assert answered == asked


async def test_every_command_gets_exactly_one_answer_and_in_order(ada: Player) -> None:
    room = await ada.create()
    kinds: list[tuple[str, Frame, str]] = [
        ("ping", {}, "pong"),
        ("watch", {"room": room}, "accepted"),
        ("watch", {"room": ROOM}, "refused"),
        ("analyse", {"room": room, "ply": 7}, "refused"),
        ("lobby", {"on": False}, "accepted"),
        ("hello", {"protocol": 1}, "refused"),
    ]
    expected = [(await ada.send(kind, **fields), answer) for kind, fields, answer in kinds * 3]
    answers = [await ada.until(lambda frame: "re" in frame) for _ in expected]
    assert [(answer["re"], answer["type"]) for answer in answers] == expected
    assert not [frame for frame in await ada.quiet() if "re" in frame]


@pytest.mark.parametrize("id", [0, ""])
async def test_an_empty_id_is_repeated_when_a_hello_comes_at_the_wrong_moment(
    ada: Player, id: object
) -> None:
    answer = await ada.raw(json.dumps({"type": "hello", "protocol": 1, "id": id}))
    assert (answer["reason"], answer["re"]) == ("malformed", id)
