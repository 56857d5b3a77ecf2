"""Which nodes are alive, what they say, and in which order they take up a task."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from server.live.nodes import SILENT_FOR, Nodes, reader
from tests.support.buses import Exchange, PromptBus
from tests.support.houses import HandClock


class Word(msgspec.Struct):
    text: str


def two_nodes(clock: HandClock) -> tuple[Nodes, Nodes, Exchange]:
    exchange = Exchange()
    ann, bob = (Nodes(exchange.new_bus(), name, now=clock) for name in ("ann", "bob"))
    return ann, bob, exchange


async def test_a_beat_shows_that_a_node_is_alive_and_silence_that_it_is_lost() -> None:
    clock = HandClock()
    ann, bob, _ = two_nodes(clock)
    lost: list[tuple[str, int]] = []
    ann.on_lost.append(lambda node, at: lost.append((node, at)))
    bob.beat()
    await asyncio.sleep(0)
    last = clock.now
    assert list(ann.others) == ["bob"]

    clock.now += SILENT_FOR - 1
    ann.beat()
    assert lost == []
    clock.now += 1
    ann.beat()

    assert lost == [("bob", last)]
    assert list(ann.others) == []


async def test_a_node_that_leaves_is_lost_at_once() -> None:
    ann, bob, _ = two_nodes(HandClock())
    lost: list[str] = []
    ann.on_lost.append(lambda node, _: lost.append(node))
    bob.beat()
    await asyncio.sleep(0)

    bob.leave()
    await asyncio.sleep(0)

    assert lost == ["bob"]


async def test_every_message_is_a_sign_of_life() -> None:
    ann, bob, _ = two_nodes(HandClock())
    heard: list[tuple[str, str]] = []
    ann.listen("words", reader(Word), lambda node, word: heard.append((node, word.text)))
    ann.beat()
    await asyncio.sleep(0)

    bob.publish("words", Word("hello"))
    await asyncio.sleep(0)

    assert heard == [("bob", "hello")]
    assert list(ann.others) == ["bob"]


async def test_a_message_that_cannot_be_read_is_ignored() -> None:
    ann, _, exchange = two_nodes(HandClock())
    heard: list[str] = []
    ann.listen("words", reader(Word), lambda _, word: heard.append(word.text))

    for message in (b"", b"[]", b'["bob",{"sound":1}]'):
        exchange.buses[1].publish("words", message)
    await asyncio.sleep(0)

    assert heard == []


async def test_nothing_but_beats_is_sent_while_nobody_is_there() -> None:
    exchange = Exchange()
    bus: PromptBus = exchange.new_bus()
    ann = Nodes(bus, "ann", now=HandClock())

    ann.publish("words", Word("hello"))
    ann.beat()

    assert bus.sent == ["nodes"]


async def test_a_question_is_answered_by_a_node_that_listens() -> None:
    ann, bob, _ = two_nodes(HandClock())
    read = reader(Word)

    assert await ann.ask("words", Word("?"), read) is None
    bob.listen("words", read, lambda _, word: Word(word.text * 2))

    answer = await ann.ask("words", Word("?"), read)
    assert answer == ("bob", Word("??"))
    bob.ignore("words")
    assert await ann.ask("words", Word("?"), read) is None


def test_nodes_agree_on_who_is_first_for_a_task_and_share_the_tasks() -> None:
    exchange, clock = Exchange(), HandClock()
    names = ("ann", "bob", "cid")
    nodes = {name: Nodes(exchange.new_bus(), name, now=clock) for name in names}
    firsts = set()
    for task in map(str, range(50)):
        ranks = {
            name: node.rank(task, [other for other in names if other != name])
            for name, node in nodes.items()
        }
        assert sorted(ranks.values()) == [0, 1, 2]
        firsts.add(min(ranks, key=lambda name: ranks[name]))

    assert firsts == set(names)


async def test_the_node_with_the_smallest_id_does_what_one_must_do_for_all() -> None:
    ann, bob, _ = two_nodes(HandClock())
    assert ann.is_first
    assert bob.is_first  # as far as it knows

    ann.beat()
    bob.beat()
    await asyncio.sleep(0)

    assert (ann.is_first, bob.is_first) == (True, False)


async def test_a_clock_that_is_ahead_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    exchange, behind, ahead = Exchange(), HandClock(), HandClock()
    Nodes(exchange.new_bus(), "ann", now=behind)
    bob = Nodes(exchange.new_bus(), "bob", now=ahead)
    ahead.now += 5_000

    for _ in range(3):
        bob.beat()
        await asyncio.sleep(0)

    assert caplog.text.count("the clock of node bob is ahead by 5000 ms") == 1
