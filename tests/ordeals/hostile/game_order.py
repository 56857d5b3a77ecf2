"""Well-formed commands from the wrong player, in the wrong room, or at the wrong time."""

from __future__ import annotations

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Act, Group
from tests.ordeals.hostile.json_types import filled
from tests.support.bare import text

group = Group(__name__)


def refused(name: str, reason: str, type: str, /, **fields: object) -> None:
    group.add(name, f"it is refused as {reason}", asking(reason, type, **fields))


def asking(reason: str, type: str, /, **fields: object) -> Act:
    """Ask for something that is refused for this reason, and see that the socket stays open."""

    async def act(attack: Attack) -> None:
        async with attack.greeted() as peer:
            peer.write(text(filled(attack, {"type": type, "id": 7, **fields})))
            answer = await peer.answer()
            assert (answer["type"], answer["re"]) == ("refused", 7), answer
            assert answer["reason"] == reason
            assert (await peer.ask("ping", id=8))["re"] == 8

    return act


refused("moves in another's game", "not_seated", "play", room="@victim", cell=8, ply=2)
refused("repeats another's move", "not_seated", "play", room="@victim", cell=4, ply=0)
refused("resigns for another", "not_seated", "resign", room="@victim")
refused("claims another's game", "not_seated", "claim", room="@victim")
refused("takes another's seat", "seat_taken", "sit", room="@victim", seat="X")
refused("leaves another's seat", "not_seated", "leave", room="@victim", seat="X")
refused("leaves an open seat", "not_seated", "leave", room="@waiting", seat="O")
refused("asks for another's rematch", "not_seated", "rematch", room="@over")
refused("covers for another", "not_seated", "seat_ai", room="@victim", seat="X", level="easy")
refused("invites an AI", "not_seated", "seat_ai", room="@waiting", seat="O", level="easy")
refused("dismisses another's AI", "not_seated", "dismiss_ai", room="@coached", seat="O")
refused("takes the AI's seat", "seat_taken", "sit", room="@coached", seat="O")
refused("moves for the AI", "not_seated", "play", room="@coached", cell=0, ply=0)
refused("restarts what it does not follow", "not_seated", "rematch", room="@exhibition")
refused("covers for one present", "seat_taken", "seat_ai", room="@mine", seat="X", level="easy")
refused("takes both seats", "seat_taken", "sit", room="@mine", seat="X")
refused("moves out of turn", "not_your_turn", "play", room="@theirs", cell=0, ply=1)
refused("moves twice at once", "stale", "play", room="@theirs", cell=0, ply=0)
refused("plays a taken cell", "cell_taken", "play", room="@mine", cell=4, ply=1)
refused("plays cell 9", "no_such_cell", "play", room="@mine", cell=9, ply=1)
refused("plays cell -1", "no_such_cell", "play", room="@mine", cell=-1, ply=1)
refused("plays at ply -1", "stale", "play", room="@mine", cell=0, ply=-1)
refused("plays ahead of time", "stale", "play", room="@mine", cell=0, ply=3)
refused("plays in the next game", "stale", "play", room="@mine", cell=0, ply=1, game=2)
refused("plays alone", "waiting", "play", room="@alone", cell=0, ply=0)
refused("resigns before it begins", "waiting", "resign", room="@alone")
refused("plays after the end", "game_over", "play", room="@lost", cell=8, ply=5)
refused("resigns after the end", "game_over", "resign", room="@lost")
refused("claims after the end", "game_over", "claim", room="@lost")
refused("asks for a rematch too early", "game_not_over", "rematch", room="@mine")
refused("claims from one present", "too_early", "claim", room="@theirs")
refused("claims in its own turn", "too_early", "claim", room="@mine")
refused("looks its own game up", "players_may_not", "analyse", room="@mine")
refused("looks up what is to come", "stale", "analyse", room="@victim", ply=3)
refused("speaks into another's room", "not_here", "say", room="@victim", phrase="bye")
refused("says what it likes", "no_such_phrase", "say", room="@mine", phrase="<b>boo</b>")
refused("seats a god", "no_such_level", "seat_ai", room="@alone", seat="O", level="god")
refused("opens a huge board", "no_such_variant", "create", variant="99999x99999")
refused("meets nobody", "stale", "meet", player="")
refused("meets somebody who did not ask for it", "stale", "meet", player="A" * 16)
refused("watches what is not there", "no_such_room", "watch", room="A" * 16)
refused("watches a path", "no_such_room", "watch", room="../../etc/passwd")
refused("watches a query", "no_such_room", "watch", room="' OR 1=1 --")
refused("watches nothing", "no_such_room", "watch", room="")
refused("watches a zero", "no_such_room", "watch", room="@victim\0")
refused("watches a name of 3900 characters", "no_such_room", "watch", room="A" * 3900)


@group.case("follows sixty-five rooms", "the last is refused as too_many_rooms")
async def _(attack: Attack) -> None:
    async with attack.greeted() as peer:
        answers = [await peer.ask_on("watch", room=room) for room in attack.arena.many[:65]]
        assert [answer["type"] for answer in answers] == ["accepted"] * 64 + ["refused"]
        assert answers[64]["reason"] == "too_many_rooms"


@group.case("sends a move it has made nineteen times", "it is accepted, and made once")
async def _(attack: Attack) -> None:
    again = {"type": "play", "room": attack.arena.rooms["theirs"], "cell": 4, "ply": 0}
    async with attack.greeted() as peer:
        peer.write(text(again) * 19)
        assert {(await peer.answer())["type"] for _ in range(19)} == {"accepted"}


@group.case("would play for whoever comes, on two sockets", "it is nobody's partner, nor its own")
async def _(attack: Attack) -> None:
    async with attack.greeted() as one, attack.greeted() as two:
        for peer in (one, two):
            assert (await peer.ask("quick", on=True))["type"] == "accepted"
        me = one.welcome["player"]["id"]
        assert (await two.ask("meet", player=me))["reason"] == "stale"
        assert (await one.ask("meet", player=me))["reason"] == "stale"
        assert all(not seen.get("partner") for seen in one.seen + two.seen)
