"""The log of a real server: it speaks when something matters, and names no secret."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from noughts import __version__
from tests.support.dialling import dialled
from tests.support.fetching import fetch
from tests.support.serving import Served, serving

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def lines(server: Served) -> list[str]:
    """The messages so far; each line must begin with its time and level."""
    found = []
    for line in server.log.splitlines():
        time, level, _, message = line.split(" ", 3)
        assert TIME.fullmatch(time)
        assert level in ("INFO", "WARNING")
        found.append(message)
    return found


async def test_a_server_says_how_it_was_started_and_that_it_has_stopped(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    variables = {"NOUGHTS_ORIGINS": "https://play.example"}
    options = ("--trusted-proxy=127.0.0.1", "--limit=idle=5")
    async with serving(tmp_path, *options, store=store, variables=variables) as server:
        assert await server.stop() == 0
        [misspelt, start, end] = lines(server)

    assert "NOUGHTS_ORIGINS means nothing" in misspelt
    assert "did you mean NOUGHTS_ORIGIN?" in misspelt
    assert start.startswith(f"noughts {__version__} has started on {server.url}; store: {store};")
    assert "limits changed: idle=5; trusted proxies: 127.0.0.1/32" in start
    assert re.fullmatch(rf"noughts {re.escape(__version__)} has stopped after \d+ s", end)


async def test_each_line_is_an_object_if_that_is_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path, "--log-format=json") as server:
        assert await server.stop() == 0
        entries = [json.loads(line) for line in server.log.splitlines()]

    assert [entry["level"] for entry in entries] == ["info", "info"]
    assert all(TIME.fullmatch(entry["time"]) for entry in entries)


async def test_a_quiet_log_has_warnings_only(tmp_path: Path) -> None:
    async with serving(tmp_path, "--log-level=warning") as server:
        assert await server.stop() == 0
        assert server.log == ""


async def test_who_is_turned_away_is_logged_once(tmp_path: Path) -> None:
    options = ("--limit=connections_per_address=1", "--trusted-proxy=127.0.0.1")
    async with serving(tmp_path, *options) as server:
        for address, headers in (
            ("198.51.100.1", {"Origin": "https://elsewhere.example"}),
            ("198.51.100.2", {}),
        ):
            headers = {**headers, "X-Forwarded-For": address}
            async with connect(server.ws, additional_headers={"X-Forwarded-For": "198.51.100.2"}):
                for _ in range(3):
                    with pytest.raises(InvalidStatus):
                        await connect(server.ws, additional_headers=headers)
        async with dialled(server.ws) as player:
            for _ in range(10):
                await player.socket.send("nonsense")
            assert await player.closed() == 1008
        metrics = fetch(server, "/metrics").text
        assert await server.stop() == 0
        told = [line for line in lines(server) if "turned away" in line]

    assert told == [
        "turned away: 198.51.100.1: 403 origin",
        "turned away: 198.51.100.2: 429 address",
        "turned away: 127.0.0.1: 1008 too many malformed frames",
        "turned away in the last minute: 198.51.100.1: 403 origin (2)",
        "turned away in the last minute: 198.51.100.2: 429 address (2)",
    ]
    assert 'noughts_handshakes_refused_total{reason="address",status="429"} 3.0' in metrics
    assert 'noughts_sockets_closed_total{code="1008"} 1.0' in metrics


async def test_a_store_that_refuses_is_logged_and_so_is_its_return_by_itself(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path}/noughts.db"
    async with (
        serving(tmp_path, "--limit=ping=1", store=store) as server,
        dialled(server.ws) as ada,
    ):
        with closing(sqlite3.connect(tmp_path / "noughts.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await ada.reason("create") == "retry"
            assert await ada.reason("create") == "retry"
            assert "noughts_store_refusing 1.0" in fetch(server, "/metrics").text
        while "again" not in server.log:  # by itself: nobody asks for anything
            await asyncio.sleep(0.05)
        told = [line for line in lines(server) if "write" in line]

    assert told[0] == "cannot write to the store: database is locked"
    assert told[1].startswith("can write to the store again, after ")
    assert len(told) == 2
