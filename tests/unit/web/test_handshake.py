"""A proper handshake is accepted; each broken one is told what is missing."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from server.web.handshake import accept, is_handshake

PROPER = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",  # the example of RFC 6455, section 1.3
}


def test_the_example_of_the_rfc_is_answered_as_there() -> None:
    headers = accept(make_mocked_request("GET", "/ws", PROPER))

    assert headers["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    assert set(headers) == {"Upgrade", "Connection", "Sec-WebSocket-Accept"}


@pytest.mark.parametrize(
    "change", [{"Upgrade": "WebSocket"}, {"Connection": "keep-alive, Upgrade"}]
)
def test_case_and_further_options_do_not_matter(change: dict[str, str]) -> None:
    request = make_mocked_request("GET", "/ws", {**PROPER, **change})

    assert is_handshake(request)
    assert accept(request)


@pytest.mark.parametrize("upgrade", ["", "h2c"])
def test_a_request_that_does_not_ask_for_a_websocket_is_no_handshake(upgrade: str) -> None:
    assert not is_handshake(make_mocked_request("GET", "/ws", {**PROPER, "Upgrade": upgrade}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Connection", "close"),
        ("Sec-WebSocket-Version", "12"),
        ("Sec-WebSocket-Version", ""),
        ("Sec-WebSocket-Key", ""),
        ("Sec-WebSocket-Key", "!!"),
        ("Sec-WebSocket-Key", "QUFB"),
        ("Sec-WebSocket-Key", "A"),
        ("Sec-WebSocket-Key", "é" * 24),
    ],
)
def test_a_broken_one_is_told_which_header_to_send(name: str, value: str) -> None:
    with pytest.raises(web.HTTPBadRequest) as refusal:
        accept(make_mocked_request("GET", "/ws", {**PROPER, name: value}))

    assert name in (refusal.value.text or "")
