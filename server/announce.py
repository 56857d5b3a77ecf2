"""Prints the addresses at which the server can be reached, and opens the browser at one."""

from __future__ import annotations

import threading
from importlib import import_module

from server.web.reach import EVERYWHERE, address, own_address


def announce(host: str, port: int, *, open_browser: bool) -> None:
    """The first line is for programs, and names the host as it was given."""
    print(f"listening on {address(host, port)}", flush=True)
    here = host
    for family, local, far in EVERYWHERE.get(host, ()):
        if here == host:
            here = local
            print(f"on this computer: {address(local, port)}", flush=True)
        if found := own_address(family, far):
            print(f"on this network: {address(found, port)}", flush=True)
    if open_browser:
        url = address(here, port)
        threading.Thread(target=_open_browser, args=(url,), daemon=True).start()


def _open_browser(url: str) -> None:
    import_module("webbrowser").open(url)  # slow to import, and rarely needed
