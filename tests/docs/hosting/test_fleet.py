"""docs/fleet.md and its files: NATS reads them, and nginx spreads players over two real nodes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from server.fleet.address import OPTIONS, read_address
from tests.docs.hosting.manual import FOLDER, config
from tests.docs.hosting.nginx import NGINX, Site, proxied, sockets, write_configuration
from tests.support.dialling import Player
from tests.support.engines import PROGRAM, address, nats_server
from tests.support.serving import ROOT, Served, serving

TEXT = (ROOT / "docs" / "fleet.md").read_text()


def block(begin: str) -> str:
    """The indented lines of docs/fleet.md from the first that begins so."""
    lines = TEXT.splitlines()
    [first] = [number for number, line in enumerate(lines) if line.strip().startswith(begin)]
    indented = []
    for line in lines[first:]:
        if not line.startswith("       "):
            break
        indented.append(line.strip())
    return "\n".join(indented)


def nats_accepts(folder: Path, text: str) -> None:
    (folder / "nats.conf").write_text(text.replace("/var/lib/nats", str(folder)))
    checked = subprocess.run(
        [PROGRAM, "-t", "-c", folder / "nats.conf"],
        env={**os.environ, "NATS_TOKEN": "secret"},
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr


def test_nats_accepts_its_configuration_and_syncs_before_it_answers(tmp_path: Path) -> None:
    text = (FOLDER / "nats.conf").read_text()
    nats_accepts(tmp_path, text)
    for file in ("nats.conf", "compose.fleet.yaml"):
        assert re.search(r"jetstream \{[^}]*sync_interval: always", (FOLDER / file).read_text())


def test_nats_accepts_the_configuration_in_compose(tmp_path: Path) -> None:
    nats_accepts(tmp_path, config("nats"))


@pytest.mark.skipif(NGINX is None, reason="nginx is missing")
def test_nginx_accepts_the_configuration_in_compose(tmp_path: Path) -> None:
    assert NGINX is not None
    text = config("nginx")
    for name in ("ann", "bob"):
        assert f"  {name}:" in (FOLDER / "compose.fleet.yaml").read_text()
        text = text.replace(f"server {name}:", "server 127.0.0.1:")
    file = write_configuration(tmp_path, text)

    checked = subprocess.run(
        [NGINX, "-t", "-p", tmp_path, "-c", file], capture_output=True, text=True
    )

    assert checked.returncode == 0, checked.stderr


def test_every_option_of_the_address_is_explained_and_no_other() -> None:
    table = TEXT.partition("| option of the address |")[2].partition("\n\n")[0]

    assert set(re.findall(r"`\?(\w+)=", table)) == OPTIONS


def test_the_addresses_in_the_text_can_be_read() -> None:
    found = set(re.findall(r"nats://[\w:,.]+", TEXT + (FOLDER / "compose.fleet.yaml").read_text()))
    assert len(found) >= 2
    for url in found:
        assert read_address(url).servers


def test_every_linked_file_exists() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / "docs" / link).exists(), link


def upstream(nodes: list[Served]) -> str:
    """The upstream in the text, with these nodes instead of the two in it."""
    lines = block("least_conn;").rstrip("}").splitlines()
    [first] = [line for line in lines if "192.0.2.1:8080" in line]
    servers = [first.replace("192.0.2.1:8080", f"127.0.0.1:{node.port}") for node in nodes]
    return "\n".join([*(line for line in lines if "192.0.2." not in line), *servers])


async def dial(stack: AsyncExitStack, site: Site, number: int) -> Player:
    return await stack.enter_async_context(site.dialled(f"127.0.0.{number}"))


@pytest.mark.skipif(
    NGINX is None or shutil.which("openssl") is None, reason="nginx or openssl is missing"
)
@pytest.mark.parametrize("count", [2, 3])
async def test_nginx_spreads_players_over_the_nodes_and_leaves_out_one_that_was_killed(
    tmp_path: Path, count: int
) -> None:
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        store = address(await enter(nats_server(tmp_path)))
        trust = ("--trusted-proxy", "127.0.0.1/32")
        nodes = [await enter(serving(tmp_path, *trust, store=store)) for _ in range(count)]
        site = await enter(proxied(tmp_path, nodes[0], {"server 127.0.0.1:8080;": upstream(nodes)}))

        ada, bo, *others = [await dial(stack, site, 11 + number) for number in range(count)]
        assert [await sockets(node) for node in nodes] == [1] * count
        room = await ada.create()
        await bo.accept("sit", room=room, seat="O")
        await ada.state(room, lambda state: bool(state["status"] == "playing"))
        for other in others:
            await other.watch(room)
        await ada.accept("play", room=room, cell=4, ply=0)
        for player in (bo, *others):
            await player.state(room, lambda state: bool(state["moves"] == [4]))

        await nodes[0].kill()
        again = [await dial(stack, site, number) for number in range(13, 17)]
        for player in again:
            assert (await player.watch(room))["moves"] == [4]
