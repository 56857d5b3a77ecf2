"""One seed: a small world with every kind of fault, then a rest, then the check.

All randomness comes from one generator, so the trace of a seed is the same every time.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random

from server import identity
from server.core.events import AISeated, ClockResumed, Event, SeatTaken
from server.core.events import Person as Sitter
from server.core.evolve import evolve
from server.core.room import AI, Holder, Room, RoomId
from server.core.rules import VARIANTS
from server.identity import Token
from server.live.host import RoomHost
from tests.ordeals.simulation.disk import Disk
from tests.ordeals.simulation.hub import Hub
from tests.ordeals.simulation.network import Network
from tests.ordeals.simulation.person import Person
from tests.ordeals.simulation.process import Process, new_task
from tests.support import history
from tests.support.clockwork import VirtualLoop
from tests.support.history import Broken, Frame

LASTS = 40.0  # seconds of trouble
ABSENT = 10.0  # seconds; somebody covered by an AI must have been away so long (the rule says 20)
QUIET = 3.0  # seconds without an event, after which everybody has seen the last one
QUIET_FLEET = 15.0  # the same for a fleet, whose nodes may have missed messages
CUT_FOR = 30.0  # seconds in which the others may not know what a node that was cut off knows
A_WAKING = 3.0  # seconds in which a room may be woken by two nodes
AT_REST = 300.0  # seconds until the world must be at rest

Trace = list[tuple[object, ...]]


def run(world: World) -> None:
    """Run a world and check it. Raises `Broken` if a promise was broken."""
    loop = VirtualLoop()
    loop.set_task_factory(new_task)
    loop.set_exception_handler(world.mishap)
    watch = _Watch(world)
    logging.getLogger("server").addHandler(watch)
    try:
        loop.run_until_complete(world.live())
        world.judge()
    except Exception as problem:
        command = f"python -m tests.ordeals.simulation {world.seed}"
        raise Broken(f"seed {world.seed} ({command}): {problem!r}") from problem
    finally:
        logging.getLogger("server").removeHandler(watch)
        _end(loop)


def _end(loop: VirtualLoop) -> None:
    while tasks := asyncio.all_tasks(loop):
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.wait(tasks))
    loop.close()


class _Watch(logging.Handler):
    """Treats every warning that the server logs as a bug, except that its engine is away."""

    def __init__(self, world: World) -> None:
        super().__init__(logging.WARNING)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == "server.fleet.store" and record.exc_info is None:
            self._world.seen[record.getMessage()] += 1
            return
        problem = record.exc_info[1] if record.exc_info else None
        self._world.fail(Broken(f"the server says: {record.getMessage()} ({problem!r})"))


class World:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice = Random(seed)
        self.seen: Counter[str] = Counter()
        self.trace: Trace = []
        self.problem: BaseException | None = None
        self.is_calm = False
        self.story: Room | None = None  # the log so far, folded
        self.persons: list[Person] = []
        self.processes: list[
            Process
        ] = []  # dead ones too; asyncio would report their tasks if they were collected
        self.up: list[Process | None] = [None]
        self.nodes = 1
        self.cut_until = 0.0

    # ------------------------------------------------------------------------------------ its life

    async def live(self) -> None:
        dice = self.dice
        self.loop = asyncio.get_running_loop()
        self.failed = asyncio.Event()
        self.network = Network(dice, self.seen)
        self.nodes = dice.choice((1, 1, 2, 3))
        self.disk = Disk(dice, self.seen) if self.nodes == 1 else Hub(dice, self.seen)
        self.idle = dice.choice((0, 300, 2_000))
        self.up = [None] * self.nodes
        for slot in range(len(self.up)):
            self._boot(slot)
        self._people()
        for _ in range(dice.randrange(4)):
            self.loop.call_later(dice.uniform(0, LASTS), self.network.fail)
        if isinstance(self.disk, Hub):
            self._plan_trouble(self.disk)
        await self._pass(LASTS)
        await self._rest()
        await self._pass(QUIET)  # until everybody has been told who is here

    def _plan_trouble(self, hub: Hub) -> None:
        dice = self.dice
        for _ in range(dice.randrange(3)):
            at = dice.uniform(0, LASTS)
            self.loop.call_later(at, hub.stop_for, dice.choice((0.2, 1.0, 5.0)))
        for _ in range(dice.randrange(2)):
            at, seconds = dice.uniform(0, LASTS), dice.choice((1.0, 5.0, 20.0))
            self.loop.call_later(at, self._cut, seconds)

    def _cut(self, seconds: float) -> None:
        """Cut a node off from the engine and from the other nodes."""
        process = self.dice.choice(self.up)
        if process is not None and process.is_open and not self.is_calm:
            self.note("a node is cut off for", seconds)
            self.cut_until = max(self.cut_until, self.loop.time() + seconds)
            process.engine.cut_for(seconds)

    def _boot(self, slot: int) -> None:
        most = 3_000 if self.nodes == 1 else 200  # ms; the nodes of a fleet need good clocks
        skew = self.dice.choice((0, 0, self.dice.randrange(-most, most)))
        process = self.up[slot] = Process(
            self.disk,
            f"node {slot} {self.dice.random()}",
            idle=self.idle,
            skew=skew,
            on_end=lambda process, point: self._ended(slot, point),
            on_sleep=lambda host: self._slept(slot, host),
            on_write=lambda *written: self._written(slot, *written),
        )
        self.processes.append(process)
        self.note(f"server {slot}", "starts")
        if not self.is_calm:
            self.loop.call_later(self.dice.expovariate(1 / 60), self._disturb, process)

    def _disturb(self, process: Process) -> None:
        if not self.is_calm and process.is_open:
            if self.dice.random() < 0.5:
                process.crash("anywhere")
            else:
                self._restarting = self.loop.create_task(process.restart())

    def _ended(self, slot: int, point: str) -> None:
        self.note(f"server {slot}", "ends", point)
        self.seen["restarts" if point == "restarting" else "crashes"] += 1
        if point in ("committed", "told"):
            self.seen["crashes between commit and broadcast"] += 1
        if slot < len(self.up):
            self.up[slot] = None
            downtime = self.dice.choice((0.05, 3.0)) * self.dice.random()
            self.loop.call_later(downtime, self._boot, slot)

    def _slept(self, slot: int, host: RoomHost) -> None:
        self.note(f"server {slot}", "puts to sleep", host.room.seq)
        self.seen["sleeps"] += 1
        if any(person.is_joining for person in self.persons[slot :: len(self.up)]):
            self.seen["sleeps while somebody joins"] += 1

    def _written(
        self, slot: int, events: Sequence[Event], problem: Exception | None, since: float
    ) -> None:
        self.note(f"server {slot}", problem or "writes", *events)
        if problem is None and any(isinstance(event, ClockResumed) for event in events):
            self._check_resumed(slot, since)
        for event in events if problem is None else ():
            if self.story is not None and isinstance(event, AISeated | SeatTaken):
                self._check_takeover(event, self.story.seats[event.mark], since)
            self.story = evolve(self.story, event)

    def _check_takeover(self, event: AISeated | SeatTaken, holder: Holder, at: float) -> None:
        if isinstance(event, SeatTaken) and isinstance(holder, AI):
            self.seen["seats taken back"] += 1
        if isinstance(event, AISeated) and isinstance(holder, Sitter):
            self.seen["seats covered"] += 1
            self._check_absent(holder.id, at)

    def _check_resumed(self, slot: int, at: float) -> None:
        """Check that no other node had the room awake when this one asked."""
        for other, process in enumerate(self.up):
            if other == slot or process is None or self.cut_until > at - CUT_FOR:
                continue
            if process.awake_since.get(self.room, at) < at - A_WAKING:
                self.fail(Broken(f"server {slot} resumed the clock, server {other} had it awake"))

    def _check_absent(self, owner: str, at: float) -> None:
        """Check absences. A node that was cut off does not know who is on the others."""
        here = [p.name for p in self.persons if p.player == owner and p.followed(at - ABSENT, at)]
        if here and self.cut_until < at - CUT_FOR:
            self.fail(Broken(f"an AI took the seat of {here}, who had just been here"))

    def _people(self) -> None:
        dice = self.dice
        tokens = [Token(urlsafe_b64encode(dice.randbytes(32)).decode()[:43]) for _ in range(3)]
        self.room = RoomId(identity.room_id_for(identity.player_id(tokens[0]), "nonce"))
        for number, name in enumerate(("Ada", "Bo", "Cy", "Di")):
            is_tab = number == 3  # a second tab that only watches
            self.persons.append(
                Person(
                    name,
                    dice.choice(tokens) if is_tab else tokens[number],
                    self.room,
                    dice,
                    self.network,
                    partial(self._server, number),
                    self._length,
                    self.note,
                    spectator=is_tab,
                    roams=self.nodes > 1,
                )
            )
        self.persons[0].create(self._opening())
        for person in self.persons[1:]:
            self.loop.call_later(dice.random(), person.dial)

    def _opening(self) -> Frame:
        other = self.dice.choice(("open", "open", "open", {"ai": "medium"}))
        clock = self.dice.choice((None, None, {"budget": self.dice.randrange(5_000, 20_000)}))
        variant = self.dice.choice(("3x3", self.dice.choice(list(VARIANTS))))
        create = {"type": "create", "nonce": "nonce", "variant": variant, "clock": clock}
        return {**create, "seats": {"X": "me", "O": other}}

    def _server(self, number: int) -> Process | None:
        """Any server, as a proxy in front of them would choose."""
        process = self.dice.choice(self.up)
        return process if process is not None and process.is_open else None

    async def _pass(self, seconds: float) -> None:
        """Let time pass, and stop at the first broken promise."""
        try:
            async with asyncio.timeout(seconds):
                await self.failed.wait()
        except TimeoutError:
            return
        assert self.problem is not None
        raise self.problem

    async def _rest(self) -> None:
        """Stop all faults, and wait until every command is answered and nothing happens."""
        self.note("all", "rest")
        self.is_calm = True
        self.disk.heal()
        self.network.heal()
        for person in self.persons:
            person.rest()
        before = -1
        begin = self.loop.time()
        while self._is_restless() or before != self._length():
            if self.loop.time() > begin + AT_REST:
                raise Broken(f"there is no rest: {[p.unanswered for p in self.persons]}")
            before = self._length()
            await self._pass(QUIET if self.nodes == 1 else QUIET_FLEET)

    def _is_restless(self) -> bool:
        return any(p.unanswered is not None or not p.is_up_to_date for p in self.persons)

    def _length(self) -> int:
        return len(self._log())

    def _log(self) -> list[Event]:
        if isinstance(self.disk, Hub):
            return self.disk.events(self.room)
        return self.disk.logs.get(self.room, [])

    # ------------------------------------------------------------------------------ what comes out

    def note(self, *what: object) -> None:
        self.trace.append((round(self.loop.time(), 6), *what))

    def fail(self, problem: BaseException) -> None:
        if self.problem is None:
            self.problem = problem
            self.failed.set()

    def mishap(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """asyncio's exception handler: a callback or a task has raised."""
        problem = context.get("exception")
        self.fail(problem if isinstance(problem, Exception) else Broken(str(context["message"])))

    def _check_presence(self, state: Frame) -> None:
        """Everybody is here by now, and everybody must know it."""
        here = {person.player for person in self.persons}
        online = [mark for mark in "XO" if state["seats"][mark].get("player") in here]
        for person in self.persons:
            if sorted(person.online, reverse=True) != online:
                raise Broken(f"{person.name} is told that {person.online} are online, not {online}")

    def judge(self) -> None:
        log = self._log()
        records = [person.record for person in self.persons]
        placed = history.check(self.room, log, records, whole=True)
        last = [record.states[-1] for record in records]
        history.check_convergence(self.room, log, last)
        self._check_presence(last[0])
        self.seen["events"] += len(log)
        places = {id(asked): place for asked, place in placed}
        for person in self.persons:
            for asked, length in person.resent:
                if places.get(id(asked), length + 1) <= length:
                    self.seen["resends after a lost answer"] += 1
