"""Reads the values of options, and says in a sentence what is wrong with one.

Each function takes the text of a value, and raises `argparse.ArgumentTypeError`.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import fields
from ipaddress import ip_network
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from server.live.limits import Limits
from server.web.proxies import Network

LIMITS = tuple(field.name for field in fields(Limits))
LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("text", "json")
SOCKET_PATH = 107  # bytes of the path of a Unix socket, at most
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}  # seconds


class Endpoint(NamedTuple):
    """Where to listen."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def port(text: str) -> int:
    return _whole(text, 65_535, "a port (0 to 65535)")


def pause(text: str) -> int:
    return _whole(text, 60_000, "a pause of 0 to 60000 ms")


def _whole(text: str, most: int, meaning: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= most:
        raise ArgumentTypeError(f"{text!r} is not {meaning}")
    return number


def endpoint(text: str) -> Endpoint:
    """`HOST:PORT`, with an IPv6 address in brackets."""
    host, colon, number = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    if not colon or not host or (":" in host and not is_bracketed):
        raise ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:9100 or [::1]:9100")
    return Endpoint(host.strip("[]"), port(number))


def socket_path(text: str) -> str:
    """The path of a Unix socket, `unix:PATH`."""
    path = text.removeprefix("unix:")
    if path == text or not path or "\0" in path:
        raise ArgumentTypeError(f"{text!r} is no admin door: use unix:PATH")
    if len(path.encode()) > SOCKET_PATH:
        raise ArgumentTypeError(
            f"{text!r} is too long for a Unix socket: at most {SOCKET_PATH} bytes"
        )
    return path


def origin(text: str) -> str:
    try:
        parts = urlsplit(text)
    except ValueError:  # a bracket that is not closed
        parts = SplitResult("", "", "", "", "")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ArgumentTypeError(f"{text!r} is not an origin such as https://play.example")
    return f"{parts.scheme}://{parts.netloc}".lower()


def public_url(text: str) -> str:
    """An origin, and nothing after it."""
    found = origin(text)
    if text.lower().rstrip("/") != found:
        raise ArgumentTypeError(f"{text!r} has a path; the game is always at the root: {found}")
    return found


def network(text: str) -> Network:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is not an address or a network such as 10.0.0.0/8"
        ) from None


def span(text: str) -> int:
    """A span of time such as `90s`, `5m`, `2h` or `7d`, in milliseconds."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit() and unit in UNITS and 0 < int(number) < 10**6):
        raise ArgumentTypeError(f"{text!r} is not a span of time such as 90s, 5m, 2h or 7d")
    return int(number) * UNITS[unit] * 1000


def log_level(text: str) -> str:
    return _one_of(text, LEVELS)


def log_format(text: str) -> str:
    return _one_of(text, FORMATS)


def _one_of(text: str, known: tuple[str, ...]) -> str:
    if text.lower() not in known:
        raise ArgumentTypeError(f"{text!r} is not one of {', '.join(known)}")
    return text.lower()


def limit(text: str) -> tuple[str, float]:
    """A limit and its value. If the usual value is a whole number, this one must be, too."""
    name, equals, number = text.partition("=")
    usual = getattr(Limits(), name, None) if name in LIMITS else None
    if usual is None:
        raise ArgumentTypeError(f"{name!r} is not a limit; --help lists them")
    if not equals:
        raise ArgumentTypeError(f"{text!r} lacks its =NUMBER, such as {name}={usual:.10g}")
    try:
        value: float = type(usual)(number)
    except ValueError:
        value = 0
    if not 0 < value < 1e12:
        kind = "whole number" if isinstance(usual, int) else "number"
        raise ArgumentTypeError(f"{text!r}: {name} wants a {kind} above 0")
    return name, value
