"""A conversation: one request at a time, an answer to each, and no more than is fair.

Most requests are answered by plain calls; those that have to wait for something are coroutines,
each in a task of its own. What a request means is told in `peer.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from time import monotonic
from typing import Any, ClassVar, assert_never, get_args

from noughts import messages
from noughts.messages import Close
from noughts.shapes import Id
from server.core.commands import Command, Reason, Refused
from server.live.draft import Accepted, Answer, Fault, Refusal
from server.live.host import RoomHost
from server.live.limits import Bucket, Limits, Strikes
from server.live.outbox import Outbox
from server.metrics import Metrics
from server.wire import frames, requests
from server.wire.closing import Closing

Answering = Coroutine[Any, Any, None]  # what cannot be answered at once

_NAMES = {kind: str(kind.__struct_config__.tag) for kind in get_args(messages.Request)}


class Conversation:
    """While it `is_busy` with one request, the next one has to wait.

    `wake` is called with None when that request has been answered, and with `Closing` or our own
    fault when the conversation must end. It may be called before `handle` has returned.

    `_ways`: for each kind of request what answers it, or returns what will, or has it `_submit`ted.
    """

    _ways: ClassVar[Mapping[type[Any], Callable[[Any, Any], Answering | None]]]

    __slots__ = (
        "_accepted",
        "_asked",
        "_later",
        "_malformed",
        "_outbox",
        "_rate",
        "_refused",
        "_too_fast",
        "_wake",
        "is_busy",
    )

    def __init__(
        self,
        outbox: Outbox,
        limits: Limits,
        metrics: Metrics,
        wake: Callable[[Exception | None], None],
    ) -> None:
        self._outbox = outbox
        self._wake = wake
        self._accepted, self._refused = metrics.accepted, metrics.refused
        self._rate = Bucket(limits.commands_per_second, limits.commands_at_once)
        self._malformed = Strikes(limits.malformed_per_minute)
        self._too_fast = Strikes(limits.too_fast_per_minute)
        self._asked: tuple[messages.Request, RoomHost] | None = None
        self._later: asyncio.Task[None] | None = None
        self.is_busy = False

    def may_ask(self) -> bool:
        """Count one frame of any kind; False if it came too fast, `Closing` if too many did."""
        if self._rate.take(monotonic()):
            return True
        self._strike(self._too_fast, "too many frames")
        return False

    def handle(self, frame: bytes, now: float) -> None:
        """Answer one text frame, now or later. Raises `Closing` when this was the last."""
        in_time = self._rate.take(now)
        request = None
        try:
            request = requests.read(frame)
            if not in_time:
                raise Refused(Reason.TOO_FAST)
            if self._outbox.person is None and not isinstance(request, messages.Hello):
                raise Refused(Reason.HELLO_FIRST)
            answering = self._ways[type(request)](self, request)
            if answering is not None:
                self.is_busy = True
                loop = asyncio.get_running_loop()
                self._later = loop.create_task(self._answer_later(request, answering))
        except (Refused, requests.Malformed) as problem:
            self._decline(request, problem)
        except UnicodeDecodeError:
            raise Closing(Close.NOT_UTF8, "text frames are UTF-8") from None

    # -------------------------------------------------------------------- what it is all about

    def _accept(self, request: messages.Request, host: RoomHost) -> None:
        """The host has carried it out."""
        raise NotImplementedError

    def _show_again(self, request: messages.Request | None) -> None:
        """The request was about something that is no longer so."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------ answering

    def _reply(self, request: messages.Request, frame: bytes) -> None:
        self._accepted[_NAMES[type(request)]] += 1
        self._outbox.send(frame)

    def _submit(self, request: messages.Request, host: RoomHost, command: Command) -> None:
        """The answer is sent where the command is carried out, and so goes before its state."""
        self.is_busy = True
        self._asked = request, host
        host.submit(command, self._answered)

    def _answered(self, answer: Answer) -> None:
        assert self._asked is not None
        request, host = self._asked
        self._asked = None
        match answer:
            case Accepted():
                self._accept(request, host)
            case Refusal(reason):
                self._decline_late(request, Refused(reason))
            case Fault(problem):
                self._decline_late(request, problem)
            case _:
                assert_never(answer)
        self._finish()

    async def _answer_later(self, request: messages.Request, answering: Answering) -> None:
        try:
            await answering
        except Exception as problem:
            self._decline_late(request, problem)
        self._later = None
        if self._asked is None:
            self._finish()

    def _finish(self) -> None:
        self.is_busy = False
        self._wake(None)

    def _decline_late(self, request: messages.Request, problem: Exception) -> None:
        try:
            if not isinstance(problem, Refused | requests.Malformed):
                raise problem
            self._decline(request, problem)
        except Exception as end:
            self._wake(end)

    def _decline(
        self, request: messages.Request | None, problem: Refused | requests.Malformed
    ) -> None:
        name = "unreadable" if request is None else _NAMES[type(request)]
        re = None if request is None else request.re
        if isinstance(problem, requests.Malformed):
            re = problem.re if request is None else re
            self._refuse(name, re, Reason.MALFORMED, problem.text)
            self._strike(self._malformed, "too many malformed frames")
            return
        self._refuse(name, re, problem.reason)
        if problem.reason is Reason.TOO_FAST:
            self._strike(self._too_fast, "too many commands")
        elif problem.reason is Reason.UNSUPPORTED_PROTOCOL:
            raise Closing(Close.POLICY, "unsupported protocol")
        elif problem.reason is Reason.STALE:
            self._show_again(request)

    def _refuse(self, name: str, re: Id, reason: Reason, text: str | None = None) -> None:
        self._refused[name, reason.value] += 1
        self._outbox.send(frames.refused(re, reason, text))

    def _strike(self, strikes: Strikes, why: str) -> None:
        if strikes.add(monotonic()):
            raise Closing(Close.POLICY, why)
