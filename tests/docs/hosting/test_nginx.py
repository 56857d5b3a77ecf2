"""docs/hosting/nginx.conf in front of a real server."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.live.limits import Limits
from tests.docs.hosting.manual import FOLDER
from tests.docs.hosting.nginx import NAME, NGINX, Site, proxied
from tests.support.codes import read_code
from tests.support.dialling import Player, play_out, seated_pair
from tests.support.serving import Served, serving

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(
        NGINX is None or shutil.which("openssl") is None, reason="nginx or openssl is missing"
    ),
]

TRUST = ("--trusted-proxy", "127.0.0.1/32")
EACH = 3  # sockets an address may have here
X_WINS = [0, 3, 1, 4, 2]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    each = ("--limit", f"connections_per_address={EACH}")
    async with serving(tmp_path_factory.mktemp("server"), *TRUST, *each) as served:
        yield served
        assert "Traceback" not in served.log


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(server: Served, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with proxied(tmp_path_factory.mktemp("nginx"), server) as site:
        yield site


async def refusal(stack: AsyncExitStack, site: Site, source: str, **headers: str) -> int:
    """The status that refuses a handshake from this address."""
    with pytest.raises(InvalidStatus) as refused:
        await stack.enter_async_context(site.dialled(source, **headers))
    return refused.value.response.status_code


async def crowd(stack: AsyncExitStack, site: Site, source: str) -> list[Player]:
    """Open as many sockets as one address may have."""
    return [await stack.enter_async_context(site.dialled(source)) for _ in range(EACH)]


async def test_a_game_is_played_and_watched_through_the_proxy(site: Site) -> None:
    async with (
        site.dialled("127.0.0.2") as ada,
        site.dialled("127.0.0.3") as bob,
        site.dialled("127.0.0.4") as eve,
    ):
        room = await seated_pair(ada, bob)
        await eve.watch(room)
        state = await play_out(room, (ada, bob), X_WINS)
        assert state["outcome"]["winner"] == "X"
        assert await eve.state(room, lambda seen: seen["status"] == "over") == state


async def test_the_limits_of_an_address_are_the_players_and_not_the_proxys(site: Site) -> None:
    async with AsyncExitStack() as stack:
        await crowd(stack, site, "127.0.0.12")
        assert await refusal(stack, site, "127.0.0.12") == 429
        await crowd(stack, site, "127.0.0.13")
        assert await refusal(stack, site, "127.0.0.13") == 429


async def test_a_forged_header_of_a_player_is_ignored(site: Site) -> None:
    async with AsyncExitStack() as stack:
        await crowd(stack, site, "127.0.0.22")
        for claim in ("198.51.100.7", "198.51.100.8, 127.0.0.1", "127.0.0.1", "nonsense", ","):
            assert await refusal(stack, site, "127.0.0.22", X_Forwarded_For=claim) == 429
        # the forged address keeps its own share
        await stack.enter_async_context(site.dialled("127.0.0.23", X_Forwarded_For="127.0.0.24"))
        await crowd(stack, site, "127.0.0.24")


async def test_a_header_from_anybody_but_the_proxy_is_ignored(server: Served) -> None:
    async with AsyncExitStack() as stack:

        async def come(claim: str) -> None:
            direct = connect(
                server.ws,
                local_addr=("127.0.0.32", 0),
                additional_headers={"X-Forwarded-For": claim},
                compression=None,
                proxy=None,
            )
            await stack.enter_async_context(direct)

        for number in range(EACH):
            await come(f"198.51.100.{number}")
        with pytest.raises(InvalidStatus) as refused:
            await come("198.51.100.99")
        assert refused.value.response.status_code == 429


async def test_another_sites_page_is_refused_through_the_proxy_too(site: Site) -> None:
    async with AsyncExitStack() as stack:
        for origin in ("https://evil.example", f"https://{NAME}:444", "null"):
            assert await refusal(stack, site, "127.0.0.42", origin=origin) == 403


async def test_a_page_with_all_its_files_comes_over_https_with_its_headers(site: Site) -> None:
    page = site.fetch("/")
    assert page.status == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["strict-transport-security"].startswith("max-age=")
    named = re.findall(r'(?:src|href)="(/client/[^"#]+)', page.body.decode())
    assert len(named) > 5
    for path in named:
        answer = site.fetch(path)
        assert answer.status == 200
        assert answer.headers["cache-control"].endswith("immutable")
    assert site.fetch("/readyz").status == 200


async def test_the_qr_code_behind_tls_leads_to_https(site: Site) -> None:
    async with site.dialled("127.0.0.2") as ada:
        room = await ada.create()
    for path, leads_to in ((f"/r/{room}/qr.svg", f"/r/{room}"), ("/qr.svg", "/")):
        for claim in ({}, {"X-Forwarded-Proto": "http"}):
            code = site.fetch(path, headers=claim)
            assert (code.status, read_code(code.text)) == (200, f"https://{NAME}{leads_to}")


async def test_the_tags_behind_tls_lead_to_https_and_to_a_picture_that_is_there(site: Site) -> None:
    async with site.dialled("127.0.0.2") as ada:
        room = await ada.create(variant="drop")
    page = site.fetch(f"/r/{room}")
    tags = dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', page.text))
    assert tags["og:title"] == "\u2068127.0.0.2\u2069 invites you to Drop Four"
    assert tags["og:url"] == f"https://{NAME}/r/{room}"
    assert f'data-origin="https://{NAME}">' in page.text
    assert page.headers["x-robots-tag"] == "noindex"
    image = tags["og:image"]
    assert image.startswith(f"https://{NAME}/client/")
    picture = site.fetch(image.removeprefix(f"https://{NAME}"))
    assert (picture.status, picture.headers["content-type"]) == (200, "image/png")


async def test_who_may_not_connect_is_told_why_through_the_proxy_too(site: Site) -> None:
    assert site.fetch("/ws", source="127.0.0.62").json["reason"] == "malformed"
    async with AsyncExitStack() as stack:
        await crowd(stack, site, "127.0.0.62")
        asked = site.fetch("/ws", source="127.0.0.62")
    assert (asked.status, asked.json["reason"]) == (429, "address")


async def test_plain_http_leads_to_https(site: Site) -> None:
    answer = site.fetch_plainly("/r/somewhere")
    assert (answer.status, answer.headers["location"]) == (301, f"https://{NAME}/r/somewhere")


async def test_metrics_and_uploads_are_not_for_the_public(site: Site) -> None:
    assert site.fetch("/metrics").status == 404
    assert site.fetch("/", "POST", body=bytes(10_000)).status == 413


async def test_one_address_cannot_exceed_its_request_rate_and_others_do_not_notice(
    site: Site,
) -> None:
    def ask(count: int, source: str) -> list[int]:
        """The statuses up to the first that is not 200."""
        answers = [200]
        while answers[-1] == 200 and len(answers) <= count:
            answers.append(site.fetch("/healthz", source=source).status)
        return answers[1:]

    greedy = await asyncio.to_thread(ask, 1_000, "127.0.0.52")
    assert greedy[-1] == 429
    assert len(greedy) > 100  # far more than a page with all its files needs
    assert await asyncio.to_thread(ask, 50, "127.0.0.53") == [200] * 50


async def test_the_proxys_log_holds_no_query(site: Site) -> None:
    assert site.fetch("/?token=foolish").status == 200
    site.fetch("/healthz")
    async with asyncio.timeout(10):
        while '"GET /healthz"' not in (log := site.access_log.read_text()).splitlines()[-1]:
            await asyncio.sleep(0.02)
    assert '"GET /"' in log
    assert "foolish" not in log


async def test_the_proxys_limits_agree_with_the_servers() -> None:
    text = (FOLDER / "nginx.conf").read_text()
    for name in ("proxy_read_timeout", "proxy_send_timeout"):
        [seconds] = re.findall(rf"{name} (\d+)s;", text)
        assert int(seconds) > 2 * Limits().ping
    assert f"limit_conn noughts_connections {Limits().connections_per_address};" in text


async def test_a_quiet_peer_stays_connected_by_pings_alone(tmp_path: Path) -> None:
    shorter = {"proxy_read_timeout 75s": "proxy_read_timeout 4s"}
    async with (
        serving(tmp_path, *TRUST, "--limit", "ping=3") as server,
        proxied(tmp_path, server, shorter) as site,
        site.dialled("127.0.0.2") as player,
    ):
        assert await player.quiet(5.5) == []
        assert (await player.ask("ping"))["type"] == "pong"


async def test_a_restart_shows_as_1012_and_the_game_goes_on_after_it(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'rooms.db'}"
    async with serving(tmp_path, *TRUST, store=store) as first, proxied(tmp_path, first) as site:
        async with site.dialled("127.0.0.2") as ada, site.dialled("127.0.0.3") as bob:
            room = await seated_pair(ada, bob)
            state = await play_out(room, (ada, bob), X_WINS[:3])
            assert await first.stop() == 0
            assert await ada.closed() == 1012
            assert await bob.closed() == 1012
        assert site.fetch("/").status == 502
        async with (
            serving(tmp_path, *TRUST, store=store, port=first.port),
            site.dialled("127.0.0.4") as eve,
        ):
            assert await eve.watch(room) == state
