"""Values of options, and a sentence for each that makes no sense."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

import pytest

from server import options


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (options.endpoint, "127.0.0.1:9100", ("127.0.0.1", 9100)),
        (options.endpoint, "[::1]:0", ("::1", 0)),
        (options.endpoint, "localhost:80", ("localhost", 80)),
        (options.socket_path, "unix:/run/x.sock", "/run/x.sock"),
        (options.span, "90s", 90_000),
        (options.span, "2h", 7_200_000),
        (options.span, "7d", 604_800_000),
        (options.log_level, "WARNING", "warning"),
    ],
)
def test_a_value_is_read(read: Callable[[str], object], text: str, value: object) -> None:
    assert read(text) == value


@pytest.mark.parametrize(
    ("read", "text", "why"),
    [
        (options.endpoint, "9100", "is not HOST:PORT"),
        (options.endpoint, ":9100", "is not HOST:PORT"),
        (options.endpoint, "::1:9100", "is not HOST:PORT"),
        (options.endpoint, "x:99999", "is not a port"),
        (options.socket_path, "unix:", "is no admin door: use unix:PATH"),
        (options.socket_path, "/run/x.sock", "is no admin door: use unix:PATH"),
        (options.socket_path, "unix:/" + "x" * 200, "too long for a Unix socket"),
        (options.span, "2", "is not a span"),
        (options.span, "0s", "is not a span"),
        (options.span, "-2h", "is not a span"),
        (options.span, "2 weeks", "is not a span"),
        (options.log_format, "xml", "is not one of text, json"),
    ],
)
def test_a_mistake_is_explained(read: Callable[[str], object], text: str, why: str) -> None:
    with pytest.raises(ArgumentTypeError, match=why):
        read(text)


def test_an_endpoint_is_written_as_it_is_read() -> None:
    assert [str(options.endpoint(text)) for text in ("[::1]:9", "a:9")] == ["[::1]:9", "a:9"]
