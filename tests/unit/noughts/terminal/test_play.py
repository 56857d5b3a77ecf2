"""The options of `noughts play`."""

from __future__ import annotations

import pytest

from noughts.terminal.play import main


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--variant", "chess"], "invalid choice: 'chess'"),
        (["--level", "genius"], "invalid choice: 'genius'"),
        (["--clock", "soon"], "'soon' is not a clock"),
        (["--clock", "0"], "a clock has 5 seconds to 60 minutes"),
        (["--clock", "nan"], "is not a clock"),
        (["http://a", "http://b"], "unrecognized arguments: http://b"),
    ],
)
def test_a_wrong_option_is_explained(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as exit:
        main(arguments)

    assert exit.value.code == 2
    assert sentence in capsys.readouterr().err


def test_the_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])

    out = capsys.readouterr().out
    assert "noughts play https://example.org/r/" in out
    assert "2 a bad address" in out
