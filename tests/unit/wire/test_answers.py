"""The answers that are counted are those of docs/protocol.md."""

from __future__ import annotations

import re

from server.core.commands import Reason
from server.wire.answers import COMMANDS, COMMON, reasons_of
from tests.support.serving import ROOT

TEXT = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \|.*\|([^|]*)\|$", re.MULTILINE)
CODE = re.compile(r"`([a-z_]+)`")


def test_each_command_has_the_own_refusals_of_its_row() -> None:
    table = TEXT.partition("| command | fields |")[2].partition("\n\n")[0]
    documented = {name: CODE.findall(own) for name, own in ROW.findall(table)}

    shared = {*COMMON, Reason.NO_SUCH_ROOM}
    assert {
        name: [reason.value for reason in reasons_of(name) if reason not in shared]
        for name in COMMANDS
    } == documented
