"""Who may open a socket: one decision, for handshakes and for those who only ask.

`GET /ws` without `Upgrade` asks: it gets the answer that a handshake would get now. A browser does
not tell a page why its handshake was refused, so the page asks here. The question takes no place,
and is neither counted nor logged.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from aiohttp import web

from server.live.house import House
from server.metrics import HANDSHAKES
from server.web.api import refusal
from server.web.proxies import Proxies

REFUSALS: dict[int, type[web.HTTPException]] = {
    403: web.HTTPForbidden,
    429: web.HTTPTooManyRequests,
    503: web.HTTPServiceUnavailable,
}
TEXTS = {
    "origin": "This page may not open the socket. See --origin.",
    "banned": "The operator of this server has banned your address.",
    "draining": "The server is restarting.",
    "full": "The server is full. Try again in a while.",
    "address": "Too many connections from your address.",
    "malformed": "This address speaks WebSocket. Send `Upgrade: websocket`.",
}


class Entrance:
    def __init__(self, house: House, origins: tuple[str, ...], proxies: Proxies) -> None:
        self._house = house
        self._origins = frozenset(origins)
        self._proxies = proxies

    def address_of(self, request: web.Request) -> str:
        """The address that limits apply to."""
        forwarded = request.headers.getall("X-Forwarded-For", ())
        return self._proxies.client(request.remote or "", forwarded)

    @contextmanager
    def admit(self, request: web.Request) -> Iterator[str]:
        """Let a handshake in, and count its connection until the end. Gives its address.

        Raises the answer to one that is turned away, counted and logged.
        """
        house, address = self._house, self.address_of(request)
        if reason := self._reason_against(request, address):
            raise self._turn_away(address, reason)
        house.addresses.add_connection(address)
        house.metrics.connections += 1
        try:
            yield address
        except web.HTTPBadRequest:
            house.metrics.turned_away["malformed", 400] += 1
            raise
        finally:
            house.metrics.connections -= 1
            house.addresses.remove_connection(address)

    def answer(self, request: web.Request) -> web.Response:
        """The answer to somebody who only asks."""
        reason = self._reason_against(request, self.address_of(request)) or "malformed"
        response = refusal(reason, TEXTS[reason], HANDSHAKES[reason])
        response.headers["Cache-Control"] = "no-store"
        return response

    def _reason_against(self, request: web.Request, address: str) -> str | None:
        if not self._is_welcome(request):
            return "origin"
        if self._house.bans.refuses(address):
            return "banned"
        if self._house.is_draining:
            return "draining"
        return self._house.addresses.reason_against(address)

    def _is_welcome(self, request: web.Request) -> bool:
        """Only `Origin` tells another site's page from ours. Programs send none and are welcome."""
        origin = request.headers.get("Origin")
        if origin is None or origin.lower() in self._origins:
            return True
        host = request.headers.get("Host", "")
        return bool(host) and origin in (f"http://{host}", f"https://{host}")

    def _turn_away(self, address: str, reason: str) -> web.HTTPException:
        status = HANDSHAKES[reason]
        self._house.metrics.turned_away[reason, status] += 1
        if reason != "draining":  # everybody comes back at once when the server restarts
            self._house.turned_away.note(address, f"{status} {reason}", monotonic())
        return REFUSALS[status](text=TEXTS[reason])
