"""Plain HTTP to a server under test, with the standard library."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from tests.support.schema import check_frame
from tests.support.serving import HANG, Served


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body. A frame is validated against the schema."""
        body = json.loads(self.body)
        if isinstance(body, dict) and "type" in body:
            check_frame(body)
        return body

    @property
    def text(self) -> str:
        return self.body.decode()


def fetch(server: Served, path: str, method: str = "GET", **headers: str) -> Answer:
    """Send one request. Underscores in header names stand for hyphens."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=HANG)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, fields, response.read())
    finally:
        connection.close()
