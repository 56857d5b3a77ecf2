"""docs/protocol.md §5: the page, rooms as JSON, health and metrics, with their headers."""

from __future__ import annotations

import gzip
import io
import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest
import segno

from server.web.assets import read_assets
from tests.support.bare import connected
from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.fetching import Answer, fetch
from tests.support.serving import ROOT, Served, serving

pytestmark = pytest.mark.asyncio(loop_scope="session")

POLICY = (
    f"default-src 'none'; script-src 'self' {read_assets().inline}; "
    "style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'"
)


async def test_the_home_page_is_html_and_is_revalidated_each_time(server: Served) -> None:
    answer = fetch(server, "/")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["etag"]
    assert "<title>Noughts</title>" in answer.text


NOTHING = "Nothing here · Noughts"


def title(answer: Answer) -> str:
    """The page's title, without the marks that isolate names."""
    [found] = re.findall("<title>(.*?)</title>", answer.text)
    assert '<body data-view="opening"' in answer.text
    return re.sub("[\u2068\u2069]", "", unescape(found))


async def test_a_rooms_page_tells_what_happens_there_and_an_unknown_room_is_404(
    server: Served, ada: Player, bob: Player
) -> None:
    room, secret = await ada.create(), await ada.create(public=False)
    name = ada.welcome["player"]["name"]
    for waiting in (room, secret):
        answer = fetch(server, f"/r/{waiting}")
        assert answer.status == 200
        assert title(answer) == f"{name} invites you to Classic Three · Noughts"
    for at, expected in ((room, f"{name} and"), (secret, "A game of Classic Three")):
        await bob.accept("sit", room=at, seat="O")
        assert title(fetch(server, f"/r/{at}")).startswith(expected)
    for unknown in ("AAAAAAAAAAAAAAAA", "x", "%00", "%F0%9F%98%80", "x" * 3000):
        answer = fetch(server, f"/r/{unknown}")
        assert (answer.status, title(answer)) == (404, NOTHING)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_a_projector_has_a_page_with_or_without_a_room(server: Served, ada: Player) -> None:
    room, secret = await ada.create(), await ada.create(public=False)
    for known in (room, secret):
        answer = fetch(server, f"/tv/{known}")
        assert (answer.status, title(answer)) == (200, title(fetch(server, f"/r/{known}")))
    answer = fetch(server, "/tv")
    assert (answer.status, title(answer)) == (200, "Noughts on a big screen")
    assert answer.headers["cache-control"] == "no-cache"
    assert fetch(server, "/tv", If_None_Match=answer.headers["etag"]).status == 304
    for unknown in ("/tv/", "/tv/AAAAAAAAAAAAAAAA", "/tv/%00", f"/tv/{room}/1", f"/tv/{room}/"):
        answer = fetch(server, unknown)
        assert (answer.status, title(answer)) == (404, NOTHING)


async def test_a_search_engine_may_list_home_and_nothing_else(server: Served, ada: Player) -> None:
    room = await ada.create()
    assert "x-robots-tag" not in fetch(server, "/").headers
    for path in ("/tv", f"/r/{room}", f"/r/{room}/1", "/nowhere", "/api/rooms", "/ws", "/healthz"):
        assert fetch(server, path).headers["x-robots-tag"] == "noindex", path


async def test_everything_the_page_names_is_there_with_its_type(server: Served) -> None:
    page = fetch(server, "/").text
    named = re.findall(r'(?:src|href)="(/[^"#]*\.\w+)"', page)
    assert any(path.endswith(".js") for path in named)
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    for path in named:
        answer = fetch(server, path)
        assert answer.status == 200, path
        kind = types.get(path.rpartition(".")[2])
        assert kind is None or answer.headers["content-type"].startswith(kind)


async def test_every_file_of_the_client_is_served_as_it_is(server: Served) -> None:
    client = ROOT / "client"
    for path in (*client.rglob("*.js"), *client.rglob("*.css"), *client.rglob("*.svg")):
        answer = fetch(server, f"/client/{path.relative_to(client).as_posix()}")
        assert (answer.status, answer.body) == (200, path.read_bytes()), path
        assert answer.headers["cache-control"] == "no-cache"


HASHED = re.compile(r"\.[0-9a-f]{8}\.(?:css|js|svg)$")


async def test_everything_that_the_page_loads_can_be_cached_for_ever(server: Served) -> None:
    for path, answer in first_visit(server).items():
        if path != "/":
            assert HASHED.search(path), path
            assert answer.status == 200, path
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert fetch(server, path, If_None_Match=answer.headers["etag"]).status == 304


async def test_every_module_that_the_page_needs_is_preloaded(server: Served) -> None:
    page = fetch(server, "/").text
    [script] = re.findall(r'<script type="module" src="(.*?)"', page)
    preloaded = re.findall(r'<link rel="modulepreload" href="(.*?)"', page)
    modules = {path for path in first_visit(server) if path.endswith(".js")}
    assert sorted([script, *preloaded]) == sorted(modules)
    assert len(modules) > 5


async def test_a_first_visit_loads_less_than_70_kb(server: Served) -> None:
    loaded = first_visit(server, Accept_Encoding="gzip")
    assert len(loaded) > 5
    assert sum(len(answer.body) for answer in loaded.values()) < 70_000


def first_visit(server: Served, **headers: str) -> dict[str, Answer]:
    """The page and everything it loads before anybody does anything, by path."""
    loaded = {"/": fetch(server, "/", **headers)}
    page = fetch(server, "/").text
    for tag in re.findall(r"<[^>]*>", page):
        named = re.search(r'(?:src|href)="(/client/[^"#]+)', tag)
        if named and " disabled" not in tag:
            load_all(server, named[1], loaded, headers)
    return loaded


def load_all(server: Served, path: str, loaded: dict[str, Answer], headers: dict[str, str]) -> None:
    """Load a file, and what its style sheets or its imports name."""
    if path in loaded:
        return
    loaded[path] = fetch(server, path, **headers)
    text = fetch(server, path).text
    names = re.findall(r"""(?:^|[;}])(?:im|ex)port\b[^'";]*['"](\.\.?/[^'"]*)""", text)
    if path.endswith(".css"):
        names = re.findall(r"""(?:url\(['"]?|@import ['"])(?!data:|#)([^'")#]+)""", text)
    for name in names:
        url = urljoin(path, name)
        load_all(server, import_map(server).get(url, url), loaded, headers)


def import_map(server: Served) -> dict[str, str]:
    [text] = re.findall(r'<script type="importmap">(.*)</script>', fetch(server, "/").text)
    imports: dict[str, str] = json.loads(text)["imports"]
    return imports


async def test_a_name_with_another_hash_is_missing(server: Served) -> None:
    assert fetch(server, "/client/main.01234567.js").status == 404


@pytest.mark.parametrize("path", ["/", "/client/main.js", "/client/favicon.svg"])
async def test_a_file_that_has_not_changed_is_answered_with_304(server: Served, path: str) -> None:
    tag = fetch(server, path).headers["etag"]
    assert tag.startswith('"')
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        answer = fetch(server, path, If_None_Match=known)
        assert (answer.status, answer.body) == (304, b""), known
        assert answer.headers["etag"] == tag
        assert answer.headers["cache-control"] == "no-cache"
    assert fetch(server, path, If_None_Match='"other"').status == 200


@pytest.mark.parametrize("path", ["/", "/client/main.js", "/client/favicon.svg"])
async def test_a_file_is_compressed_for_clients_that_accept_it(server: Served, path: str) -> None:
    plain = fetch(server, path)
    for accepted in ("gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5"):
        packed = fetch(server, path, Accept_Encoding=accepted)
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert packed.headers["etag"] != plain.headers["etag"]
        known = fetch(server, path, Accept_Encoding=accepted, If_None_Match=packed.headers["etag"])
        assert (known.status, known.body) == (304, b"")
    for accepted in ("", "br", "identity", "br, gzip;q=0", "gzip; q=0.0, br"):
        assert "content-encoding" not in fetch(server, path, Accept_Encoding=accepted).headers


@pytest.mark.parametrize(
    "path", ["/nowhere", "/index.html", "/r/", "/r/x/y", "/ws/", "//", "/favicon.ico", "/%00"]
)
async def test_an_unknown_address_is_answered_with_the_page(server: Served, path: str) -> None:
    answer = fetch(server, path)
    assert (answer.status, title(answer)) == (404, NOTHING)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert fetch(server, path, If_None_Match="*").status == 404
    head = fetch(server, path, "HEAD")
    assert (head.status, head.body) == (404, b"")


@pytest.mark.parametrize(
    "path",
    ["/client", "/client/", "/client/nothing.js", "/client/../server/app.py",
     "/client/%2e%2e/LICENSE", "/client/..%2fpyproject.toml", "/client/main.js/"],
)  # fmt: skip
async def test_a_missing_file_is_answered_with_one_line(server: Served, path: str) -> None:
    answer = fetch(server, path)
    assert (answer.status, answer.text) == (404, "There is no such file.")
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/games", "/api/rooms/x/y"])
async def test_an_unknown_path_of_the_api_is_answered_with_json(server: Served, path: str) -> None:
    answer = fetch(server, path)
    assert (answer.status, answer.json) == (404, {"reason": "no_such_path"})


@pytest.mark.parametrize("path", ["/", "/api/rooms", "/healthz", "/client/main.js", "/ws"])
async def test_only_get_and_head_are_allowed(server: Served, path: str) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        answer = fetch(server, path, method)
        assert (answer.status, answer.headers["allow"]) == (405, "GET,HEAD")
        assert answer.text == "Only GET and HEAD are allowed here."


@pytest.mark.parametrize("path", ["/", "/api/rooms", "/healthz", "/client/main.js"])
async def test_head_is_answered_like_get_without_a_body(server: Served, path: str) -> None:
    answer = fetch(server, path, "HEAD")
    assert (answer.status, answer.body) == (200, b"")


async def test_a_rooms_state_is_the_frame_its_followers_get(
    server: Served, ada: Player, bob: Player
) -> None:
    for public in (True, False):
        room = await seated_pair(ada, bob, public=public)
        state = await play_out(room, (ada, bob), [4, 0])
        answer = fetch(server, f"/api/rooms/{room}")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("application/json")
        assert answer.json == state


@pytest.mark.parametrize("room", ["AAAAAAAAAAAAAAAA", "x", "%00", "%C3%A9", "a%20b", "x" * 3000])
async def test_an_unknown_rooms_state_is_404_with_a_reason(server: Served, room: str) -> None:
    answer = fetch(server, f"/api/rooms/{room}")
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json["reason"] == "no_such_room"


async def test_the_api_lists_public_rooms_and_no_private_one(server: Served, ada: Player) -> None:
    public, private = await ada.create(), await ada.create(public=False)
    answer = fetch(server, "/api/rooms")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    frame = answer.json
    assert (frame["type"], frame["complete"], frame["gone"]) == ("lobby", True, [])
    rooms = [entry["room"] for entry in frame["rooms"]]
    assert public in rooms
    assert private not in rooms
    assert len(rooms) <= 200


async def test_health_and_readiness(server: Served) -> None:
    assert fetch(server, "/healthz").status == 200
    assert fetch(server, "/readyz").status == 200


async def test_metrics_count_rooms_connections_commands_and_times(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, store=f"sqlite:{tmp_path / 'rooms.db'}") as server,
        dialled(server.ws, name="Ada") as ada,
    ):
        room = await ada.create(seats={"X": "me", "O": {"ai": "easy"}})
        await ada.accept("play", room=room, cell=4, ply=0)
        await ada.reason("play", room=room, cell=4, ply=77)
        await ada.state(room, lambda state: len(state["moves"]) == 2)
        answer = fetch(server, "/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = dict(re.findall(r"^(\w+(?:\{[^}]*\})?) (\S+)$", answer.text, re.MULTILINE))

    def total(*words: str) -> float:
        chosen = [value for name, value in values.items() if all(word in name for word in words)]
        assert chosen, (words, answer.text)
        return sum(map(float, chosen))

    assert total("rooms") >= 1
    assert total("connections") >= 1
    assert total("commands", "play", "accepted") >= 1
    assert total("commands", "play", "stale") >= 1
    assert total("durable", "count") >= 1
    assert total("broadcast", "count") >= 1
    assert total("ai", "seconds_count") >= 1
    assert total("ai", "queue") >= 0
    assert ada.token not in answer.text


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 200), ("/r/unknown", 404), ("/client/main.js", 200), ("/client/no.js", 404),
     ("/api/rooms", 200), ("/api/rooms/unknown", 404), ("/healthz", 200), ("/readyz", 200),
     ("/metrics", 200), ("/nowhere", 404), ("/api/nothing", 404)],
)  # fmt: skip
async def test_every_answer_carries_the_security_headers(
    server: Served, path: str, status: int
) -> None:
    for method in ("GET", "HEAD"):
        answer = fetch(server, path, method)
        assert answer.status == status
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert fetch(server, path, "POST").headers["content-security-policy"] == POLICY


async def test_a_304_and_a_refused_socket_carry_them_too(server: Served) -> None:
    tag = fetch(server, "/").headers["etag"]
    known = fetch(server, "/", If_None_Match=tag)
    foreign = fetch(server, "/ws", Origin="https://evil.example")
    plain = fetch(server, "/ws")
    assert (known.status, foreign.status) == (304, 403)
    assert 400 <= plain.status < 500  # not a WebSocket handshake
    for answer in (known, foreign, plain):
        assert answer.headers["content-security-policy"] == POLICY


async def test_a_rooms_address_is_served_as_a_qr_code(server: Served, ada: Player) -> None:
    room = await ada.create()
    answer = fetch(server, f"/r/{room}/qr.svg", Host="play.example")
    assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.body == picture(f"http://play.example/r/{room}")

    nobodys_word = {"Host": "play.example", "X_Forwarded_Proto": "https"}
    assert fetch(server, f"/r/{room}/qr.svg", **nobodys_word).body == answer.body
    assert fetch(server, "/r/AAAAAAAAAAAAAAAA/qr.svg").status == 404
    assert fetch(server, f"/r/{room}/qr.svg", Host="x" * 400).status == 400


async def test_the_address_of_the_home_page_is_served_as_a_qr_code(server: Served) -> None:
    answer = fetch(server, "/qr.svg", Host="play.example")
    assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")
    assert answer.body == picture("http://play.example/")
    assert fetch(server, "/qr.svg", Host="x" * 400).status == 400


async def test_the_address_has_the_scheme_that_a_trusted_proxy_names(tmp_path: Path) -> None:
    async with serving(tmp_path, "--trusted-proxy=127.0.0.1") as server:
        async with dialled(server.ws) as ada:
            room = await ada.create()
        answer = fetch(server, f"/r/{room}/qr.svg", Host="play.example", X_Forwarded_Proto="https")
        assert answer.body == picture(f"https://play.example/r/{room}")
        home = fetch(server, "/qr.svg", Host="play.example", X_Forwarded_Proto="https")
        assert home.body == picture("https://play.example/")


def picture(text: str) -> bytes:
    """The QR code of this text, drawn as the server draws it."""
    drawn = io.BytesIO()
    code = segno.make(text, micro=False)
    code.save(drawn, "svg", xmldecl=False, nl=False, border=3, light="#fff", omitsize=True)
    return drawn.getvalue()


async def test_the_games_of_a_room_are_told_oldest_first(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    await ada.accept("rematch", room=room)
    await bob.accept("rematch", room=room)
    await bob.accept("play", room=room, cell=4, ply=0)

    answer = fetch(server, f"/api/rooms/{room}/games")

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    told = answer.json
    assert told["room"] == room
    first, second = told["games"]
    assert (first["game"], first["moves"]) == (1, [0, 3, 1, 4, 2])
    assert first["outcome"] == {"winner": "X", "by": "line", "line": [0, 1, 2]}
    assert first["players"]["X"] == {"kind": "human", "name": "Ada"}
    assert first["times"] == sorted(first["times"])
    assert first["began"] <= first["times"][0] <= first["ended"] == first["times"][-1]
    assert (second["game"], second["moves"], second["outcome"]) == (2, [4], None)
    assert second["ended"] is None
    assert fetch(server, f"/api/rooms/{room}/games/1").json == first
    assert fetch(server, f"/api/rooms/{room}/games/2").json == second


@pytest.mark.parametrize("cells", [[], [4], [0, 3, 1, 4, 2]])
async def test_the_players_of_a_game_keep_their_names_after_they_have_left(
    server: Served, ada: Player, bob: Player, eve: Player, cells: list[int]
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), cells)
    if len(cells) < 5:
        await bob.accept("resign", room=room)
    await bob.accept("leave", room=room, seat="O")
    assert (await ada.state(room, lambda s: s["seats"]["O"]["kind"] == "open"))["status"] == "over"

    left = fetch(server, f"/api/rooms/{room}/games/1").json
    await eve.accept("sit", room=room, seat="O")
    taken = fetch(server, f"/api/rooms/{room}/games/1").json

    people = {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "human", "name": "Bob"}}
    assert left["players"] == taken["players"] == people
    assert left["outcome"]["winner"] == "X"


async def test_a_player_who_leaves_in_mid_game_is_named_until_another_one_has_moved(
    server: Served, ada: Player, bob: Player, eve: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [4])
    await bob.accept("leave", room=room, seat="O")
    left = fetch(server, f"/api/rooms/{room}/games/1").json
    await eve.accept("sit", room=room, seat="O")
    await eve.accept("play", room=room, cell=0, ply=1)
    taken = fetch(server, f"/api/rooms/{room}/games/1").json

    assert (left["players"]["O"], left["outcome"]) == ({"kind": "human", "name": "Bob"}, None)
    assert taken["players"]["O"] == {"kind": "human", "name": "Eve"}


async def test_a_game_does_not_tell_who_is_behind_a_name(server: Served, ada: Player) -> None:
    room = await ada.create()
    answer = fetch(server, f"/api/rooms/{room}/games/1")

    assert ada.id not in answer.text
    assert answer.json["players"] == {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "open"}}


@pytest.mark.parametrize("game", ["0", "2", "-1", "x", "1.0", "9" * 400, "%F0%9F%98%80"])
async def test_a_game_that_never_was_is_404_with_a_reason(
    server: Served, ada: Player, game: str
) -> None:
    room = await ada.create()
    answer = fetch(server, f"/api/rooms/{room}/games/{game}")

    assert (answer.status, answer.json) == (404, {"reason": "no_such_game"})


@pytest.mark.parametrize("path", ["games", "games/1"])
async def test_the_games_of_an_unknown_room_are_404_with_a_reason(
    server: Served, path: str
) -> None:
    for room in ("AAAAAAAAAAAAAAAA", "%00", "x" * 3000):
        answer = fetch(server, f"/api/rooms/{room}/{path}")
        assert (answer.status, answer.json) == (404, {"reason": "no_such_room"})


async def test_each_game_of_a_room_has_the_page(server: Served, ada: Player) -> None:
    room = await ada.create()

    assert fetch(server, f"/r/{room}/1").status == 200
    for path in (f"/r/{room}/2", "/r/AAAAAAAAAAAAAAAA/1"):
        answer = fetch(server, path)
        assert (answer.status, title(answer)) == (404, NOTHING)


async def test_a_review_judges_every_move_of_a_game_that_is_over(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4])
    running = fetch(server, f"/api/rooms/{room}/games/1/review")
    assert (running.status, running.json) == (409, {"reason": "game_not_over"})
    await ada.accept("play", room=room, cell=2, ply=4)

    answer = fetch(server, f"/api/rooms/{room}/games/1/review")

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    moves = [json.loads(line) for line in answer.text.splitlines()]
    assert [(move["ply"], move["mark"], move["cell"]) for move in moves] == [
        (0, "X", 0),
        (1, "O", 3),
        (2, "X", 1),
        (3, "O", 4),
        (4, "X", 2),
    ]
    assert moves[0]["value"] == moves[0]["best"] == "draw"
    assert moves[0]["cells"] == list(range(9))
    assert (moves[1]["value"], moves[1]["best"], moves[1]["cells"]) == ("loss", "draw", [4])
    assert moves[4] == {
        "ply": 4,
        "mark": "X",
        "cell": 2,
        "value": "win",
        "in": 1,
        "best": "win",
        "cells": moves[4]["cells"],
    }
    assert 2 in moves[4]["cells"]
    for path, reason in (("2", "no_such_game"), ("x", "no_such_game")):
        answer = fetch(server, f"/api/rooms/{room}/games/{path}/review")
        assert (answer.status, answer.json["reason"]) == (404, reason)


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("/api/schema.json", "docs/protocol.schema.json"),
        ("/api/asyncapi.json", "docs/asyncapi.json"),
    ],
)
async def test_the_protocol_is_served_as_a_document(server: Served, path: str, file: str) -> None:
    answer = fetch(server, path)
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.body == (ROOT / file).read_bytes()
    assert fetch(server, path, If_None_Match=answer.headers["etag"]).status == 304
    small = fetch(server, path, Accept_Encoding="gzip")
    assert gzip.decompress(small.body) == answer.body


async def test_a_game_is_told_as_text_to_whoever_asks_for_it(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    path = f"/api/rooms/{room}/games/1"
    answer = fetch(server, f"{path}?format=text")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith(f"Room {room}, game 1, 3x3\n\nX  Ada\nO  Bob\n")
    assert "X won: a whole line" in answer.text
    assert fetch(server, path, Accept="text/plain").body == answer.body
    assert answer.text in fetch(server, f"/api/rooms/{room}/games?format=text").text
    for accept in ("*/*", "application/json, text/plain, */*", "text/html"):
        assert fetch(server, path, Accept=accept).json["moves"] == [0, 3, 1, 4, 2]
    assert fetch(server, f"{path}?format=json", Accept="text/plain").json["game"] == 1
    wrong = fetch(server, f"{path}?format=pdf")
    assert (wrong.status, wrong.json["reason"]) == (400, "malformed")
    assert fetch(server, f"/api/rooms/{room}/games/2?format=text").status == 404


async def test_head_of_a_review_is_answered_without_a_body_too(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
    async with connected(server.port, "127.0.0.1") as peer:
        for request in (f"HEAD /api/rooms/{room}/games/1/review", "GET /healthz"):
            peer.write(f"{request} HTTP/1.1\r\nHost: {server.url}\r\n\r\n".encode())

        assert "application/x-ndjson" in await peer.head()
        assert (await peer.head()).startswith("HTTP/1.1 200")
