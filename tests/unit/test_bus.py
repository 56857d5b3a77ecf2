"""The bus of a process that is the only one."""

from __future__ import annotations

from server.bus import Alone


async def test_nobody_hears_and_nobody_answers() -> None:
    bus = Alone()
    heard: list[bytes] = []
    bus.subscribe("topic", heard.append)

    bus.publish("topic", b"hello")

    assert await bus.ask("topic", b"anybody?") is None
    bus.unsubscribe("topic")
    assert heard == []
