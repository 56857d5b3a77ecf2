"""Asks a running server through the operator's door (`door.py`)."""

from __future__ import annotations

import socket
from argparse import ArgumentTypeError
from http.client import HTTPConnection, HTTPException
from typing import TypeVar

import msgspec

from server import options
from server.command import Failed
from server.store import BadAddress

WITHIN = 30.0  # seconds; to remove a room may need several attempts
URL_HELP = "the admin door of a server, such as unix:/run/noughts/admin.sock (see --admin)"

T = TypeVar("T")


class _Door(HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=WITHIN)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(WITHIN)
        self.sock.connect(self._path)


def ask(url: str, path: str, answer: type[T], wish: msgspec.Struct | None = None) -> T:
    """Send a wish, or ask for something, and return the answer.

    Raises `Failed` with the server's sentence, or if there is no server, and `BadAddress`.
    """
    door = _Door(_path_of(url))
    try:
        if wish is None:
            door.request("GET", path)
        else:
            door.request("POST", path, msgspec.json.encode(wish))
        response = door.getresponse()
        body = response.read()
    except FileNotFoundError:
        raise Failed(f"no server has a door at {url}: start it with --admin {url}") from None
    except ConnectionRefusedError:
        raise Failed(f"the server at {url} is not running") from None
    except PermissionError:
        raise Failed(f"you may not open {url}: use the account that runs the server") from None
    except (OSError, HTTPException) as problem:
        raise Failed(f"the server at {url} does not answer: {problem}") from problem
    finally:
        door.close()
    if response.status != 200:
        raise Failed(body.decode(errors="replace"))
    return msgspec.json.decode(body, type=answer)


def _path_of(url: str) -> str:
    try:
        return options.socket_path(url)
    except ArgumentTypeError as problem:
        raise BadAddress(str(problem)) from None
