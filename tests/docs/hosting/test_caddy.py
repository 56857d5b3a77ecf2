"""docs/hosting/Caddyfile in a real Caddy, with a certificate of its own, before a real server."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
from asyncio.subprocess import DEVNULL, create_subprocess_exec
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from websockets.exceptions import InvalidStatus

from tests.docs.hosting.manual import FOLDER
from tests.docs.hosting.nginx import ADDRESS, NAME, Site, free_ports
from tests.support.codes import read_code
from tests.support.dialling import HANG, play_out, seated_pair
from tests.support.serving import Served, serving

CADDY = shutil.which("caddy")
EACH = 3  # sockets an address may have here
X_WINS = [0, 3, 1, 4, 2]
AROUND = """{{
    admin off
    local_certs
    skip_install_trust
    default_bind {address}
    http_port {plain_port}
    https_port {port}
    storage file_system {folder}
}}
import {file}
"""

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(CADDY is None, reason="caddy is missing"),
]


@asynccontextmanager
async def caddy(folder: Path, server: Served) -> AsyncIterator[Site]:
    """The documented Caddy in front of a server."""
    assert CADDY is not None
    port, plain_port = free_ports(2)
    around = AROUND.format(
        address=ADDRESS, port=port, plain_port=plain_port, folder=folder, file=FOLDER / "Caddyfile"
    )
    (folder / "Caddyfile").write_text(around)
    places = {"SITE": NAME, "NODE": f"127.0.0.1:{server.port}", "HOME": str(folder)}
    with (folder / "caddy.log").open("wb") as output:
        process = await create_subprocess_exec(
            *(CADDY, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"),
            stdin=DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **places},
        )
    try:
        async with asyncio.timeout(HANG):
            while (site := await asyncio.to_thread(reach, folder, port, plain_port)) is None:
                assert process.returncode is None, (folder / "caddy.log").read_text()
                await asyncio.sleep(0.02)
        yield site
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def reach(folder: Path, port: int, plain_port: int) -> Site | None:
    """The site, once Caddy has made its certificates and loaded them."""
    try:
        trust = ssl.create_default_context(cafile=folder / "pki/authorities/local/root.crt")
        site = Site(port, plain_port, trust, folder / "caddy.log")
        return site if site.fetch("/readyz").status == 200 else None
    except OSError:
        return None


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    each = ("--limit", f"connections_per_address={EACH}")
    async with (
        serving(tmp_path_factory.mktemp("server"), "--trusted-proxy=127.0.0.1/32", *each) as server,
        caddy(tmp_path_factory.mktemp("caddy"), server) as site,
    ):
        yield site


async def test_a_game_is_played_through_the_proxy_and_its_qr_code_leads_to_https(
    site: Site,
) -> None:
    async with site.dialled("127.0.0.2") as ada, site.dialled("127.0.0.3") as bob:
        room = await seated_pair(ada, bob)
        state = await play_out(room, (ada, bob), X_WINS)
        assert state["outcome"]["winner"] == "X"
    code = site.fetch(f"/r/{room}/qr.svg", headers={"X-Forwarded-Proto": "http"})
    assert read_code(code.text) == f"https://{NAME}/r/{room}"


async def test_the_limits_are_the_players_and_a_forged_address_is_ignored(site: Site) -> None:
    async with AsyncExitStack() as stack:
        for number in range(EACH):
            claim = f"198.51.100.{number}"
            await stack.enter_async_context(site.dialled("127.0.0.12", X_Forwarded_For=claim))
        with pytest.raises(InvalidStatus) as refused:
            await stack.enter_async_context(site.dialled("127.0.0.12"))
        assert refused.value.response.status_code == 429
        await stack.enter_async_context(site.dialled("127.0.0.13"))


async def test_plain_http_leads_to_https_and_metrics_are_not_for_the_public(site: Site) -> None:
    assert site.fetch("/").headers["strict-transport-security"].startswith("max-age=")
    moved = site.fetch_plainly("/r/somewhere")
    assert moved.status == 308
    assert moved.headers["location"].startswith(f"https://{NAME}")
    assert site.fetch("/metrics").status == 404
