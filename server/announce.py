"""Prints the addresses at which the server can be reached, and opens the browser at one."""

from __future__ import annotations

import threading
from contextlib import suppress
from importlib import import_module
from socket import AF_INET, AF_INET6, SOCK_DGRAM, socket

# For a host that stands for every address: the families, with an address of this computer and one
# of another network (they are set aside for documentation).
EVERYWHERE = {
    "0.0.0.0": [(AF_INET, "127.0.0.1", "192.0.2.1")],
    "::": [(AF_INET, "127.0.0.1", "192.0.2.1"), (AF_INET6, "::1", "2001:db8::1")],
    "": [(AF_INET, "127.0.0.1", "192.0.2.1"), (AF_INET6, "::1", "2001:db8::1")],
}


def announce(host: str, port: int, *, open_browser: bool) -> None:
    """The first line is for programs, and names the host as it was given."""
    print(f"listening on {address(host, port)}", flush=True)
    here = host
    for family, local, far in EVERYWHERE.get(host, ()):
        if here == host:
            here = local
            print(f"on this computer: {address(local, port)}", flush=True)
        if found := _own_address(family, far):
            print(f"on this network: {address(found, port)}", flush=True)
    if open_browser:
        url = address(here, port)
        threading.Thread(target=_open_browser, args=(url,), daemon=True).start()


def address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _own_address(family: int, far: str) -> str | None:
    """This computer's address for others on its network, if it has one."""
    with suppress(OSError), socket(family, SOCK_DGRAM) as probe:
        probe.connect((far, 9))  # only looks up the route; nothing is sent
        return str(probe.getsockname()[0])
    return None


def _open_browser(url: str) -> None:
    import_module("webbrowser").open(url)  # slow to import, and rarely needed
