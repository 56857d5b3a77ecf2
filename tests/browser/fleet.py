"""Two nodes or more, NATS, and the nginx of docs/hosting/compose.fleet.yaml in front of them."""

from __future__ import annotations

import re
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.browser.people import PUBLIC
from tests.docs.hosting.manual import config
from tests.docs.hosting.nginx import running
from tests.support.engines import address, free_ports, nats_server
from tests.support.serving import Served, serving

NAMES = ("ann", "bob")  # of the nodes in compose.fleet.yaml
PLACE = re.compile(rf"^ *server ({'|'.join(NAMES)}):8080 (.*)$", re.MULTILINE)


class Fleet(Served):
    """Looks like one server."""

    def __init__(self, process: Process, url: str, log: Path, nodes: list[Served]) -> None:
        super().__init__(process, url, log)
        self.nodes = nodes

    @property
    def log(self) -> str:
        return "".join(node.log for node in self.nodes)


@asynccontextmanager
async def fleet(folder: Path, count: int = 2) -> AsyncIterator[Fleet]:
    options = ("--no-limits", "--trusted-proxy=127.0.0.1/32", f"--public-url={PUBLIC}")
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        store = address(await enter(nats_server(folder)))
        nodes = [
            await enter(serving(folder, *options, store=store, ai_pause=50)) for _ in range(count)
        ]
        [port] = free_ports(1)
        text = config("nginx").replace("listen 80;", f"listen 127.0.0.1:{port};")
        first = PLACE.search(text)
        assert first is not None
        servers = [f"server 127.0.0.1:{node.port} {first[2]}" for node in nodes]
        text = PLACE.sub("", text.replace(first[0], "\n".join(servers)))
        process = await enter(running(folder, text, "127.0.0.1", port))
        yield Fleet(process, f"http://127.0.0.1:{port}", folder / "error.log", nodes)
