"""Names that would disturb the text around them: cleaned, cut, or replaced by a friendly one."""

from __future__ import annotations

import unicodedata

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group

group = Group(__name__)


def named(name: str, given: str, shown: str | None) -> None:
    """`shown` is None for a name of the server's own choice."""

    async def act(attack: Attack) -> None:
        async with attack.greeted(name=given, id=7) as peer:
            got = peer.welcome["player"]["name"]
            assert got == shown or (shown is None and got.isascii() and got.istitle()), got
            assert 1 <= len(got) <= 24
            assert got.isprintable()
            assert unicodedata.is_normalized("NFC", got)

    reaction = "it gets a friendly one" if shown is None else f"it is called {shown!r}"
    group.add(name, reaction, act)


named("has control characters in its name", "M\0a\x1b[31ml\x7f", "Ma[31ml")
named("has line breaks in its name", "Mal\r\nlory\u2028\u2029", "Mallory")
named("turns the text around behind its name", "Mal\u202eyrol\u2066", "Malyrol")
named("is called nothing that leaves ink", "\u200b\u2060\ufeff\u00ad\u3164\u2800", None)
named("is called white space", " \t\u00a0\u3000 ", None)
named("has a name of 1000 characters", "x" * 1000, "x" * 24)
named("has a name of 300 wide characters", "\U0001f921" * 300, "\U0001f921" * 24)
named("is called a script", "<script>alert(1)</script>", "<script>alert(1)</script")
named("ends the JSON with its name", '","type":"state","x":"', '","type":"state","x":"')
named("piles marks on its name", "Z" + "\u0300\u0301" * 300, "Z" + "\u0300\u0301" * 11 + "\u0300")
named("is called marks without a letter", "\u0301" * 20, None)
named("has half a surrogate pair in its name", "Mal\ud800lory", "Mallory")
named("hides in private use", "\ue000\uf8ff\U000f0000", None)


async def _no_text(attack: Attack) -> None:
    for name in (None, 7, True, ["Mallory"], {"first": "Mallory"}):
        async with attack.upgraded() as peer:
            answer = await peer.ask("hello", protocol=1, name=name)
            assert answer["reason"] == "malformed"


group.add("has a name that is no text", "it is refused as malformed", _no_text)
