"""The addresses that the server prints."""

from __future__ import annotations

import webbrowser
from socket import AF_INET6

import pytest

from server import announce as module
from server.announce import announce
from server.web import reach


class Probe:
    """A socket with a route to the network, or without one."""

    has_route = True

    def __init__(self, family: int, _: object) -> None:
        self._is_6 = family == AF_INET6

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, _: object) -> None:
        if not self.has_route:
            raise OSError("network is unreachable")

    def getsockname(self) -> tuple[str, int]:
        return ("2001:db8::7" if self._is_6 else "192.168.1.7", 40_000)


class Offline(Probe):
    has_route = False


FOUR, SIX = "http://192.168.1.7:8123", "http://[2001:db8::7]:8123"
HERE = "on this computer: http://127.0.0.1:8123"


@pytest.mark.parametrize(
    ("host", "probe", "lines"),
    [
        ("127.0.0.1", Probe, ["listening on http://127.0.0.1:8123"]),
        ("::1", Probe, ["listening on http://[::1]:8123"]),
        ("localhost", Probe, ["listening on http://localhost:8123"]),
        (
            "0.0.0.0",
            Probe,
            ["listening on http://0.0.0.0:8123", HERE, f"on this network: {FOUR}"],
        ),
        ("0.0.0.0", Offline, ["listening on http://0.0.0.0:8123", HERE]),
        (
            "::",
            Probe,
            [
                "listening on http://[::]:8123",
                HERE,
                f"on this network: {FOUR}",
                f"on this network: {SIX}",
            ],
        ),
    ],
)
def test_the_server_prints_the_addresses_that_work(
    host: str,
    probe: type[Probe],
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reach, "socket", probe)

    announce(host, 8123, open_browser=False)

    assert capsys.readouterr().out.splitlines() == lines


def test_the_browser_is_opened_at_the_servers_address(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    module._open_browser("http://127.0.0.1:8123")

    assert opened == ["http://127.0.0.1:8123"]
