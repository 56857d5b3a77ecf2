"""A real nginx with docs/hosting/nginx.conf, and players who connect through it over TLS."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import ssl
import subprocess
from asyncio.subprocess import DEVNULL, Process, create_subprocess_exec
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.docs.hosting.manual import FOLDER, changed
from tests.support.dialling import HANG, Player
from tests.support.fetching import Answer, fetch
from tests.support.serving import Served

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
NAME = "play.example.org"
ADDRESS = "127.83.7.1"  # no other program listens there, so a free port stays free
AROUND = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/noughts.conf;
}}
"""


@dataclass
class Site:
    """The proxy as seen from outside. Each client has its own loopback address."""

    port: int
    plain_port: int
    trust: ssl.SSLContext
    access_log: Path

    @asynccontextmanager
    async def dialled(
        self, source: str, *, origin: str = f"https://{NAME}", **headers: str
    ) -> AsyncIterator[Player]:
        """A player who connects from this address, after hello."""
        async with connect(
            f"wss://{NAME}/ws",
            host=ADDRESS,
            port=self.port,
            ssl=self.trust,
            local_addr=(source, 0),
            origin=Origin(origin),
            additional_headers=_named(headers),
            compression=None,
            proxy=None,
        ) as socket:
            player = Player(socket)
            player.welcome = await player.ask("hello", protocol=1, name=source)
            yield player

    def fetch(
        self,
        path: str,
        method: str = "GET",
        *,
        source: str = "127.0.0.1",
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        connection = HTTPSConnection(NAME, self.port, timeout=HANG, context=self.trust)
        raw = socket.create_connection((ADDRESS, self.port), HANG, (source, 0))
        connection.sock = self.trust.wrap_socket(raw, server_hostname=NAME)
        return _answer(connection, path, method, body, headers or {})

    def fetch_plainly(self, path: str) -> Answer:
        connection = HTTPConnection(ADDRESS, self.plain_port, timeout=HANG)
        return _answer(connection, path, "GET", b"", {})


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def _answer(
    connection: HTTPConnection, path: str, method: str, body: bytes, headers: Mapping[str, str]
) -> Answer:
    try:
        connection.request(method, path, body=body or None, headers={"Host": NAME, **headers})
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, fields, response.read())
    finally:
        connection.close()


@asynccontextmanager
async def proxied(
    folder: Path, server: Served, changes: Mapping[str, str] | None = None
) -> AsyncIterator[Site]:
    """The documented nginx in front of a server; only paths and ports are changed."""
    assert NGINX is not None
    port, plain_port = free_ports(2)
    _make_certificate(folder)
    configuration = changed(
        (FOLDER / "nginx.conf").read_text(),
        {
            "listen [::]:80;": "",
            "listen 80;": f"listen {ADDRESS}:{plain_port};",
            "listen [::]:443 ssl;": "",
            "listen 443 ssl;": f"listen {ADDRESS}:{port} ssl;",
            "/etc/letsencrypt/live/play.example.org/fullchain.pem": f"{folder}/certificate.pem",
            "/etc/letsencrypt/live/play.example.org/privkey.pem": f"{folder}/key.pem",
            "/var/log/nginx/noughts.log": f"{folder}/access.log",
            "server 127.0.0.1:8080;": f"server 127.0.0.1:{server.port};",
            **(changes or {}),
        },
    )
    async with running(folder, configuration, ADDRESS, port):
        trust = ssl.create_default_context(cafile=folder / "certificate.pem")
        yield Site(port, plain_port, trust, folder / "access.log")


def write_configuration(folder: Path, configuration: str) -> Path:
    """The file with which nginx can be started."""
    (folder / "noughts.conf").write_text(configuration)
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    return folder / "nginx.conf"


@asynccontextmanager
async def running(
    folder: Path, configuration: str, address: str, port: int
) -> AsyncIterator[Process]:
    """An nginx that listens there."""
    assert NGINX is not None
    file = write_configuration(folder, configuration)
    with (folder / "nginx.out").open("wb") as output:
        process = await create_subprocess_exec(
            *(NGINX, "-p", str(folder), "-c", str(file)),
            stdin=DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        async with asyncio.timeout(HANG):
            while not await _listens(address, port):
                assert process.returncode is None, (folder / "nginx.out").read_text()
                await asyncio.sleep(0.02)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def sockets(node: Served) -> int:
    """How many are open on a server."""
    [line] = re.findall(r"^noughts_connections (\d+)", fetch(node, "/metrics").text, re.MULTILINE)
    return int(line)


def _make_certificate(folder: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME},IP:{ADDRESS}",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
        check=True,
        capture_output=True,
    )  # fmt: skip


def free_ports(count: int) -> list[int]:
    held = [socket.create_server((ADDRESS, 0)) for _ in range(count)]
    ports = [int(each.getsockname()[1]) for each in held]
    for each in held:
        each.close()
    return ports


async def _listens(address: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(address, port)
    except OSError:
        return False
    writer.close()
    return True
