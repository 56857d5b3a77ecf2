"""A file as an HTTP answer: how it is cached, and when it is compressed or not sent at all."""

from __future__ import annotations

import gzip

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from server.web.files import IMMUTABLE, REVALIDATED, File

SCRIPT = File.of(b"let x;\n" * 100, ".js")


def answered(file: File, status: int = 200, **headers: str) -> web.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return file.answer(make_mocked_request("GET", "/", named), status)


def test_a_file_has_its_type_and_is_revalidated_unless_it_is_immutable() -> None:
    assert answered(SCRIPT).headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answered(SCRIPT).headers["Cache-Control"] == REVALIDATED == "no-cache"
    picture = answered(File.of(b"<svg/>", ".svg", IMMUTABLE))
    assert picture.headers["Content-Type"] == "image/svg+xml"
    assert picture.headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "GZIP"])
def test_a_file_is_compressed_for_clients_that_accept_it(accepted: str) -> None:
    packed, plain = answered(SCRIPT, Accept_Encoding=accepted), answered(SCRIPT)

    assert isinstance(packed.body, bytes)
    assert gzip.decompress(packed.body) == plain.body == SCRIPT.body
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "br, gzip; q=0.0"])
def test_a_file_is_not_compressed_for_others(accepted: str) -> None:
    answer = answered(SCRIPT, Accept_Encoding=accepted)

    assert (answer.body, answer.headers.get("Content-Encoding")) == (SCRIPT.body, None)
    assert answer.headers["Vary"] == "Accept-Encoding"


def test_a_file_that_the_client_has_is_not_sent_again() -> None:
    tag = answered(SCRIPT).headers["ETag"]

    for known in (tag, f'"other", {tag}', "*"):
        answer = answered(SCRIPT, If_None_Match=known)
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, None, tag)
    assert answered(SCRIPT, If_None_Match='"other"').status == 200
    assert answered(SCRIPT, 404, If_None_Match=tag).status == 404
