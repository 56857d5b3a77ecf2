"""The network between people and the server fails in every usual way (promises P2 to P4).

After each fault every move has been made exactly once. A peer that is silently gone is noticed: by
the server through its ping, and by the page through its own ping.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from tests.browser.chromium import chromium
from tests.ordeals.torture import Figures
from tests.ordeals.torture.browsers import dead_line, scene
from tests.ordeals.torture.patience import Crowd, NotHere, crowd, run, until
from tests.ordeals.torture.proxy import Proxy, proxied
from tests.support.dialling import dialled
from tests.support.history import Broken
from tests.support.serving import HANG, ROOT, serving

ROOMS = 4
FAR_AWAY = 0.1  # seconds, each way
LONG = 1.0  # seconds of a stall, less than anybody's time-out
TOO_LONG = 3.0  # seconds, more than the clients' time-out, so that they redial several times
SEEN_WITHIN = 30.0  # seconds, with the server's default ping
SEEN_BY_PAGE_WITHIN = 10.0  # seconds
HERE, THERE = "198.18.0.1", "198.18.0.2"  # reserved for network tests
LOST = ("-m", "statistic", "--mode", "random", "--probability", "0.1")

Trouble = Callable[[Proxy, Crowd], Awaitable[object]]


# ----------------------------------------------------------------------------------- the troubles


async def delay(proxy: Proxy, people: Crowd) -> None:
    """Every byte takes `FAR_AWAY` seconds longer."""
    proxy.delay = FAR_AWAY
    await people.moves_on()


async def stall(proxy: Proxy, _: Crowd) -> None:
    """Nothing moves for a while; then everything arrives at once."""
    proxy.stall()
    await asyncio.sleep(LONG)


async def long_stall(proxy: Proxy, _: Crowd) -> None:
    """A stall until clients have given up: their data arrives after they are gone."""
    proxy.stall()
    await asyncio.sleep(TOO_LONG)


async def reset(proxy: Proxy, people: Crowd) -> None:
    """All connections are reset, twice, in the middle of the traffic."""
    proxy.reset()
    await people.moves_on()
    proxy.reset()


async def cut(proxy: Proxy, _: Crowd) -> None:
    """All connections are closed, and for a while new ones are refused."""
    proxy.is_refusing = True
    proxy.cut()
    await asyncio.sleep(LONG)


async def half_open(proxy: Proxy, people: Crowd) -> None:
    """All connections go dead silently; clients notice and redial."""
    proxy.swallow()
    await people.moves_on()


TROUBLES: tuple[Trouble, ...] = (delay, stall, long_stall, reset, cut, half_open)


async def endure(folder: Path, trouble: Trouble) -> Figures:
    """Play, cause a fault, play on, and check the log."""
    file = folder / f"{trouble.__name__}.db"
    async with serving(folder, "--no-limits", store=f"sqlite:{file}") as served:
        async with proxied(served.url) as proxy:
            async with crowd(proxy.ws, ROOMS) as people:
                await people.moves_on()
                await trouble(proxy, people)
                proxy.heal()
                back = await people.moves_on()
            await people.look()
        events = await people.judge(file)
        assert "Traceback" not in served.log, served.log
    return {"events": events, "back after s": round(back, 2)}


# ---------------------------------------------------------------------------------- half-open peers


async def noticed(folder: Path, *options: str) -> float:
    """The seconds until the server drops a peer that is silently gone and notifies the others."""
    async with (
        serving(folder, *options) as served,
        proxied(served.url) as proxy,
        dialled(served.ws) as bo,
        dialled(proxy.ws) as ada,
    ):
        room = await ada.create()
        await bo.accept("sit", room=room, seat="O")
        await bo.until(lambda f: f["type"] == "presence" and sorted(f["online"]) == ["O", "X"])
        [link] = proxy.swallow()
        begin = time.monotonic()
        await bo.until(lambda f: f["type"] == "presence" and f["online"] == ["O"], within=HANG * 2)
        took = time.monotonic() - begin
        await until(lambda: link.far.left > 0, "the socket is given back")
        ada.socket.transport.abort()
    return took


# ------------------------------------------------------------------------------------ lost packets


@contextmanager
def lossy_space() -> Iterator[tuple[str, ...]]:
    """A network namespace that loses packets. Yields the prefix of a command that runs in it."""
    space, device = f"noughts-{os.getpid()}", f"nt{os.getpid()}"
    inside = ("ip", "netns", "exec", space)
    run("iptables", "--version")
    run("ip", "netns", "add", space)
    try:
        run("ip", "link", "add", device, "type", "veth", "peer", "name", "there", "netns", space)
        run("ip", "address", "add", f"{HERE}/30", "dev", device)
        run("ip", "link", "set", device, "up")
        run("ip", "-n", space, "address", "add", f"{THERE}/30", "dev", "there")
        run("ip", "-n", space, "link", "set", "there", "up")
        for chain in ("INPUT", "OUTPUT"):
            run(*inside, "iptables", "-A", chain, "-p", "tcp", *LOST, "-j", "DROP")
        yield inside
    finally:
        run("ip", "netns", "delete", space)


@asynccontextmanager
async def proxied_from(inside: tuple[str, ...], to: str) -> AsyncIterator[str]:
    """A proxy inside the namespace to a server outside. Yields the URL of its socket."""
    command = (*inside, sys.executable, "-m", "tests.ordeals.torture.proxy", THERE, to)
    piped = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=piped)
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), HANG)
        yield line.decode().split()[-1].replace("http", "ws", 1) + "/ws"
    finally:
        process.kill()
        await process.wait()


async def endure_loss(folder: Path, times: int) -> Figures:
    """Play over a network that loses packets until every room has moved on `times` times."""
    file = folder / "loss.db"
    options, store = ("--no-limits", "--host", HERE), f"sqlite:{file}"
    with lossy_space() as inside:
        async with (
            serving(folder, *options, store=store) as served,
            proxied_from(inside, f"{HERE}:{served.port}") as ws,
        ):
            async with crowd(ws, ROOMS) as people:
                slowest = max([await people.moves_on() for _ in range(times)])
            await people.look()
            events = await people.judge(file)
            assert "Traceback" not in served.log, served.log
    return {"events": events, "slowest s": round(slowest, 2)}


# ------------------------------------------------------------------------------------- the ordeal


async def ordeal(folder: Path, amount: int) -> Figures:
    """`amount` rounds of every fault; half-open peers and lost packets only once."""
    figures: Figures = {"events": 0}
    for number in range(amount):
        for trouble in TROUBLES:
            place = folder / f"{trouble.__name__}-{number}"
            place.mkdir()
            seen = await endure(place, trouble)
            figures["events"] = int(str(figures["events"])) + int(str(seen["events"]))
            name = f"{trouble.__name__.replace('_', ' ')}: back after s"
            figures[name] = max(float(str(figures.get(name, 0))), float(str(seen["back after s"])))
    took = await noticed(folder)
    if took > SEEN_WITHIN:
        raise Broken(f"half open for {took:.1f} s before the server noticed")
    figures["half open, noticed by the server after s"] = round(took, 1)
    figures |= await _by_the_page(folder)
    try:
        loss = await endure_loss(folder, 10 * amount)
        figures |= {f"loss: {what}": figure for what, figure in loss.items()}
    except NotHere as problem:
        figures["loss: skipped,"] = problem
    return figures


async def _by_the_page(folder: Path) -> Figures:
    async with chromium() as browser, scene(browser, folder) as it:
        await it.sit_down()
        after, back = await dead_line(it, new_ones_too=True)
    if after > SEEN_BY_PAGE_WITHIN:
        raise Broken(f"half open for {after:.1f} s before the page noticed")
    return {
        "half open, noticed by the page after s": round(after, 1),
        "back on the page after s": round(back, 1),
    }
