"""Two nodes, NATS, and the nginx of docs/hosting/compose.yaml in front of them."""

from __future__ import annotations

from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.docs.hosting.manual import config
from tests.docs.hosting.nginx import running
from tests.support.engines import address, free_ports, nats_server
from tests.support.serving import Served, serving

NAMES = ("ann", "bob")  # of the nodes in compose.yaml


class Fleet(Served):
    """Looks like one server."""

    def __init__(self, process: Process, url: str, log: Path, nodes: list[Served]) -> None:
        super().__init__(process, url, log)
        self.nodes = nodes

    @property
    def log(self) -> str:
        return "".join(node.log for node in self.nodes)


@asynccontextmanager
async def fleet(folder: Path) -> AsyncIterator[Fleet]:
    options = ("--no-limits", "--trusted-proxy", "127.0.0.1/32")
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        store = address(await enter(nats_server(folder)))
        nodes = [await enter(serving(folder, *options, store=store, ai_pause=50)) for _ in NAMES]
        [port] = free_ports(1)
        text = config("nginx").replace("listen 80;", f"listen 127.0.0.1:{port};")
        for name, node in zip(NAMES, nodes, strict=True):
            text = text.replace(f"server {name}:8080 ", f"server 127.0.0.1:{node.port} ")
        process = await enter(running(folder, text, "127.0.0.1", port))
        yield Fleet(process, f"http://127.0.0.1:{port}", folder / "error.log", nodes)
