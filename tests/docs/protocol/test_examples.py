"""Every example in docs/protocol.md is a message, with every field and no other."""

from __future__ import annotations

import json
import re
from typing import get_args

import msgspec

from noughts.messages import Analysis, Frame, State, decode_frame, decode_request, encode
from server.core.rules import CLASSIC, Position
from server.core.search import judge
from tests.support.serving import ROOT

# On its own or after a player's name. Continuation lines are indented further.
EXAMPLE = re.compile(r"^    (?:\w+ +([→←]) )?(\{\"type\".*(?:\n     .*)*)", re.MULTILINE)

FOUND = EXAMPLE.findall((ROOT / "docs/protocol.md").read_text(encoding="utf-8"))
REQUESTS = [text.encode() for arrow, text in FOUND if arrow == "→"]
# Without the spaces and line breaks for the reader.
FRAMES = [msgspec.json.encode(json.loads(text)) for arrow, text in FOUND if arrow != "→"]


def test_every_frame_but_pong_has_an_example() -> None:
    kinds = {type(decode_frame(text)).__name__ for text in FRAMES}

    assert kinds == {kind.__name__ for kind in get_args(Frame)} - {"Pong"}


def test_every_documented_command_is_a_request() -> None:
    assert len(REQUESTS) > 10
    for text in REQUESTS:
        decode_request(text)


def test_every_documented_frame_has_all_its_fields_and_no_other_in_their_order() -> None:
    assert len(FRAMES) > 20
    for text in FRAMES:
        assert encode(decode_frame(text)) == text


def test_the_documented_analysis_is_that_of_the_documented_state() -> None:
    decoded = list(map(decode_frame, FRAMES))
    *_, state = (frame for frame in decoded if isinstance(frame, State))
    [analysis] = (frame for frame in decoded if isinstance(frame, Analysis))
    position = Position(CLASSIC)
    for cell in state.moves:
        position = position.play(cell)

    verdicts = judge(position)

    assert (analysis.ply, analysis.turn) == (len(state.moves), state.turn)
    assert [value and (value.value, value.plies) for value in analysis.cells] == [
        verdicts[cell][:2] if cell in verdicts else None for cell in range(9)
    ]
