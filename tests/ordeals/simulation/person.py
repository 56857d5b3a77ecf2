"""A simulated client that behaves like the page, on a bad connection.

It reconnects with its token, sends an unanswered command again unchanged, acts on the last state it
saw, and records every command, answer and state for the history checker.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from server import identity
from server.identity import Token
from tests.ordeals.simulation.network import Line, Network
from tests.ordeals.simulation.process import Process
from tests.support.history import STANDING, Asked, Broken, Frame, Record, playable

PATIENCE = 10.0  # seconds to wait for an answer before reconnecting
LATER = ("retry", "draining")  # refusals after which the same command is sent again


class Person:
    """`server` returns the process to connect to, if it is up. `spectator`: only watches.

    A client that may come back to another node ignores states older than the newest it has seen, as
    the page does: that node may not have heard of everything yet.
    """

    def __init__(
        self,
        name: str,
        token: Token,
        room: str,
        dice: Random,
        network: Network,
        server: Callable[[], Process | None],
        length: Callable[[], int],
        note: Callable[..., None],
        *,
        spectator: bool,
        roams: bool,
    ) -> None:
        self.name = name
        self.player = identity.player_id(token)
        self.record = Record(room)
        self.unanswered: Asked | None = None
        self.is_joining = False  # it has asked to join the room, and not seen it yet
        self.wants_rest = False
        self.resent: list[tuple[Asked, int]] = []  # with the length of the log at that time
        self._token, self._room = token, room
        self._dice, self._network, self._server = dice, network, server
        self._length, self._note = length, note
        self._spectator = spectator
        self._roams = roams
        self._newest = 0
        self._loop = asyncio.get_running_loop()
        self._line: Line | None = None
        self._older: list[Line] = []
        self._followed: dict[Line, float] = {}  # with the time since when that is certain
        self._number = 0
        self._state: Frame | None = None
        self._seq = 0
        self._online: list[str] = []
        self._thinking: asyncio.TimerHandle | None = None

    @property
    def seen(self) -> Counter[str]:
        return self._network.seen

    @property
    def is_up_to_date(self) -> bool:
        return self._state is not None and self._state["seq"] >= self._seq

    @property
    def online(self) -> list[str]:
        """The players who are online, as this person was last told."""
        return self._online

    def followed(self, begin: float, end: float) -> bool:
        """Whether the server knew, at some time in this span, that this person followed."""
        return any(s <= end and line.broken_at > begin for line, s in self._followed.items())

    def create(self, command: Frame) -> None:
        self.unanswered = Asked(self.player, command, self._loop.time())
        self.dial()

    def rest(self) -> None:
        """Start nothing new; stay connected, and finish the command under way."""
        self.wants_rest = True
        self.dial()

    # ------------------------------------------------------------------------------ the connection

    def dial(self) -> None:
        if self._line is not None:
            return
        process = self._server()
        if process is None:
            self._loop.call_later(self._dice.uniform(0.1, 1.0), self.dial)
            return
        line = self._line = self._network.connect(self)
        process.serve(line)
        hello = {"type": "hello", "protocol": 1, "token": self._token, "name": self.name}
        line.say(hello)
        self._note(self.name, "dials")
        if self.unanswered is not None:
            self._send_again()
        self._watch()

    def hear(self, line: Line, frame: Frame) -> None:
        if line is not self._line:
            return
        match frame["type"]:
            case "welcome":
                if frame["player"]["id"] != self.player:
                    raise Broken(f"{self.name} came back and was taken for {frame['player']}")
            case "state":
                self._see(frame)
            case "presence":
                self._online = frame["online"]
            case "accepted" | "refused" if frame["re"] == "watch":
                if frame["type"] == "refused":
                    self._loop.call_later(self._dice.uniform(0.1, 0.5), self._watch)
            case "accepted" if self._is_answer(frame):
                self._accepted(frame)
            case "refused" if self._is_answer(frame):
                self._refused(frame)

    def lost(self, line: Line) -> None:
        if line is self._line:
            self._note(self.name, "is cut off")
            self._hang_up(self._dice.choice((0.05, 1.0)) * self._dice.random())

    def _hang_up(self, pause: float) -> None:
        assert self._line is not None
        self._line.hang_up()
        self._older = [line for line in self._older if not line.is_quiet] + [self._line]
        self._line = self._state = None
        self._seq, self.is_joining, self._online = 0, False, []
        self._loop.call_later(0 if self.wants_rest else pause, self.dial)

    def _watch(self) -> None:
        if self._line is not None and self._state is None:
            self.is_joining = True
            self._line.say({"type": "watch", "room": self._room, "id": "watch"})

    # --------------------------------------------------------------------------- asking and answer

    def _ask(self, command: Frame) -> None:
        self._number += 1
        self.unanswered = Asked(self.player, command, self._loop.time())
        self._send(self.unanswered)

    def _send_again(self) -> None:
        if self._line is not None and self.unanswered is not None:
            self.seen["resends"] += 1
            self.unanswered.again += 1
            self.resent.append((self.unanswered, self._length()))
            self._send(self.unanswered)

    def _send(self, asked: Asked) -> None:
        assert self._line is not None
        self._note(self.name, "asks", self._number, asked.command)
        self._line.say({**asked.command, "id": self._number})
        self._loop.call_later(PATIENCE, self._check_answer, self._line, asked, asked.again)

    def _check_answer(self, line: Line, asked: Asked, again: int) -> None:
        is_last = self.unanswered is asked and asked.again == again
        if line is self._line and is_last and line.is_working:
            raise Broken(f"{asked} got no answer over a line that works")

    def _is_answer(self, frame: Frame) -> bool:
        return self.unanswered is not None and bool(frame["re"] == self._number)

    def _accepted(self, answer: Frame) -> None:
        asked = self.unanswered
        assert asked is not None
        self._note(self.name, "is accepted", answer["re"], answer["seq"])
        self.seen["accepted"] += 1
        asked.seq = self._seq = answer["seq"]
        self._close(asked)

    def _refused(self, answer: Frame) -> None:
        asked, reason = self.unanswered, answer["reason"]
        assert asked is not None
        self._note(self.name, "is refused", answer["re"], reason)
        if reason in LATER:
            self._loop.call_later(self._dice.random(), self._send_again_if, asked)
            return
        if reason in ("malformed", "no_such_room", "too_fast"):
            raise Broken(f"{asked} was refused as {reason}")
        if all(line.is_quiet for line in self._older):
            asked.refused = reason  # otherwise an older copy may still arrive and be accepted
        self._close(asked)

    def _send_again_if(self, asked: Asked) -> None:
        if self.unanswered is asked:
            self._send_again()

    def _close(self, asked: Asked) -> None:
        asked.answered = self._loop.time()
        self.record.asked.append(asked)
        self.unanswered = None
        self._think()

    def _see(self, state: Frame) -> None:
        if self._roams and state["seq"] < self._newest:
            self.seen["older states ignored"] += 1
            return
        self._newest = state["seq"]
        self._note(self.name, "sees", state["seq"])
        self.record.states.append(state)
        self._state, self.is_joining = state, False
        if self._line is not None:
            self._followed.setdefault(self._line, self._loop.time())
        self._think()

    # ---------------------------------------------------------------------------------- its will

    def _think(self) -> None:
        """Schedule the next act, unless one is scheduled already."""
        if self._thinking is None and not self.wants_rest and not self._spectator:
            wait = self._dice.choice((0.02, 0.3, 2.0)) * self._dice.random()
            self._thinking = self._loop.call_later(wait, self._act)

    def _act(self) -> None:
        self._thinking = None
        if self.unanswered is not None or not self.is_up_to_date or self.wants_rest:
            return
        assert self._state is not None
        if self._dice.random() < 0.04:
            self._note(self.name, "goes away")
            self._hang_up(self._dice.choice((1, 40)) * self._dice.random())
            return
        command = self._wish(self._state)
        if command is None or not self._may_ask():
            self._thinking = self._loop.call_later(self._dice.uniform(0.5, 1.5), self._act)
        else:
            self._ask({**command, "room": self._room})

    def _may_ask(self) -> bool:
        """False while an old copy of a command without a game could undo the next one."""
        last = self.record.asked[-1] if self.record.asked else None
        unsure = last is not None and last.again and last.command["type"] in STANDING
        return not unsure or all(line.is_quiet for line in self._older)

    def _wish(self, state: Frame) -> Frame | None:
        if self._dice.random() < 0.05:
            return self._whim(state)
        for chance, wish in self._wishes(state):
            if self._dice.random() < chance:
                return wish
        return None

    def _wishes(self, state: Frame) -> Iterator[tuple[float, Frame]]:
        """The sensible commands in this state, with their chances."""
        seats, game = state["seats"], state["game"]
        mine = [mark for mark in "XO" if seats[mark].get("player") == self.player]
        if state["turn"] in mine:
            yield 0.9, self._play(state, self._dice.choice(playable(state)))
        if state["status"] == "over" and mine and mine[0] not in state["rematch"]:
            yield 0.7, {"type": "rematch", "game": game}
        for mark in "XO":
            seat, ai = seats[mark], {"type": "seat_ai", "seat": mark, "level": "easy"}
            is_open, is_mine = seat["kind"] == "open", mark in mine
            if (is_open and not mine) or seat.get("covers", {}).get("player") == self.player:
                yield 0.5, {"type": "sit", "seat": mark}
            elif is_open:
                yield 0.05, ai
            elif mine and not is_mine and seat["kind"] == "human" and mark not in self._online:
                yield 0.3, ai
                yield 0.3, {"type": "claim", "game": game}

    def _whim(self, state: Frame) -> Frame:
        """Any command at all, allowed or not."""
        seat = {"seat": self._dice.choice("XO")}
        match kind := self._dice.choice(("play", "resign", "claim", "rematch", *STANDING)):
            case "play":
                return self._play(state, self._dice.randrange(len(state["board"])))
            case "resign" | "claim" | "rematch":
                return {"type": kind, "game": state["game"]}
            case "seat_ai":
                return {"type": kind, **seat, "level": "medium"}
            case _:
                return {"type": kind, **seat}

    def _play(self, state: Frame, cell: int) -> Frame:
        return {"type": "play", "cell": cell, "ply": len(state["moves"]), "game": state["game"]}
