"""False identities: no hello, two hellos, invented tokens, and other players' ids."""

from __future__ import annotations

from tests.ordeals.hostile.arena import MALLORY, Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import text

group = Group(__name__)


def no_token(name: str, token: object) -> None:
    async def act(attack: Attack) -> None:
        async with attack.upgraded() as peer:
            answer = await peer.ask("hello", id=7, protocol=1, token=token)
            assert (answer["reason"], answer["re"]) == ("malformed", 7)
            assert answer["text"].startswith("token: ")
            assert (await peer.ask("ping"))["reason"] == "hello_first"

    group.add(name, "it is malformed, and nobody is greeted", act)


no_token("brings an empty token", "")
no_token("brings a token one character short", "M" * 42)
no_token("brings a token one character long", "M" * 44)
no_token("brings a token of 3000 characters", "M" * 3000)
no_token("brings a token with a line behind it", "M" * 43 + "\n")
no_token("brings a token in other characters", "\u041c" * 43)
no_token("brings a number for a token", 7)
no_token("brings null for a token", None)
no_token("brings a list of tokens", [MALLORY])


@group.case("brings a player's public id for a token", "it is malformed")
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        answer = await peer.ask("hello", protocol=1, token=attack.arena.victims[0].id)
        assert answer["reason"] == "malformed"


@group.case("pads a player's public id to a token", "it is somebody else, and sits nowhere")
async def _(attack: Attack) -> None:
    vic = attack.arena.victims[0]
    async with attack.greeted(token=vic.id.ljust(43, "A")) as peer:
        assert peer.welcome["player"]["id"] != vic.id
        answer = await peer.ask("play", room=attack.arena.rooms["victim"], cell=8, ply=2)
        assert answer["reason"] == "not_seated"


@group.case("names itself like a player", "it is somebody else, and sits nowhere")
async def _(attack: Attack) -> None:
    name = attack.arena.victims[0].welcome["player"]["name"]
    async with attack.greeted(name=name, token="V" * 43) as peer:
        assert peer.welcome["player"]["name"] == name
        answer = await peer.ask("resign", room=attack.arena.rooms["victim"])
        assert answer["reason"] == "not_seated"


@group.case("says hello as the AI", "it is nobody the rules know")
async def _(attack: Attack) -> None:
    async with attack.greeted(name="ai", token="ai".ljust(43, "-")) as peer:
        assert peer.welcome["player"]["id"] != "ai"
        answer = await peer.ask("dismiss_ai", room=attack.arena.rooms["coached"], seat="O")
        assert answer["reason"] == "not_seated"


@group.case("asks for everything before hello", "it is told to say hello first")
async def _(attack: Attack) -> None:
    room = attack.arena.rooms["victim"]
    asked: list[dict[str, object]] = [
        {"type": "create"},
        {"type": "watch", "room": room},
        {"type": "sit", "room": room, "seat": "X"},
        {"type": "play", "room": room, "cell": 8, "ply": 2},
        {"type": "resign", "room": room},
        {"type": "lobby", "on": True},
        {"type": "analyse", "room": room},
        {"type": "ping"},
    ]
    async with attack.upgraded() as peer:
        peer.write(*map(text, asked))
        answers = [await peer.answer() for _ in asked]
    assert {answer["reason"] for answer in answers} == {"hello_first"}


@group.case("says hello twice, as two people", "it stays the first")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        answer = await peer.ask("hello", protocol=1, token="W" * 43)
        assert answer["reason"] == "malformed"
        answer = await peer.ask("play", room=attack.arena.rooms["mine"], cell=4, ply=1)
        assert answer["reason"] == "cell_taken"  # a reason that only Mallory's own seat gives


@group.case("speaks protocol 2", "it is told so and closed with 1008")
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        answer = await peer.ask("hello", protocol=2, future=["fields"])
        assert answer["reason"] == "unsupported_protocol"
        assert await peer.closed() == 1008


@group.case("speaks protocol minus ten to the thousandth", "it is told so and closed with 1008")
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        peer.write(text('{"type":"hello","protocol":-1' + "0" * 1000 + "}"))
        assert (await peer.answer())["reason"] == "unsupported_protocol"
        assert await peer.closed() == 1008


@group.case("uses one token on five sockets at once", "all are the same player")
async def _(attack: Attack) -> None:
    async with (
        attack.greeted() as one,
        attack.greeted() as two,
        attack.greeted() as three,
        attack.greeted() as four,
        attack.greeted() as five,
    ):
        ids = {peer.welcome["player"]["id"] for peer in (one, two, three, four, five)}
        assert len(ids) == 1
        for peer in (one, two, three, four, five):
            answer = await peer.ask("play", room=attack.arena.rooms["mine"], cell=4, ply=1)
            assert answer["reason"] == "cell_taken"


@group.case("reuses another player's nonce", "it gets a room of its own", opens=2)
async def _(attack: Attack) -> None:
    open_seats = {"X": "open", "O": "open"}
    async with attack.greeted(token="1" * 43) as one, attack.greeted(token="2" * 43) as two:
        first = await one.ask("create", nonce=attack.address, seats=open_seats)
        other = await two.ask("create", nonce=attack.address, seats=open_seats)
        assert first["room"] != other["room"]
