"""Styled lines in a terminal, without colour, and in a pipe."""

from __future__ import annotations

from noughts.terminal.styled import Canvas, Look, Span, fit, line, width_of, wrap

TERMINAL, PIPE = Look(styled=True, colour=True), Look()
MARK = [Span(" "), Span("X", "x bold"), Span(" ")]


def test_a_terminal_gets_colour_and_weight() -> None:
    assert TERMINAL.show(MARK) == " \x1b[36;1mX\x1b[0m "


def test_without_colour_the_weight_stays() -> None:
    assert TERMINAL._replace(colour=False).show(MARK) == " \x1b[1mX\x1b[0m "


def test_a_pipe_gets_no_escape_codes() -> None:
    assert PIPE.show([*MARK, Span("\x1b[2J", "bold")]) == " X ?[2J"


def test_a_name_cannot_smuggle_escape_codes_in() -> None:
    assert TERMINAL.show(line("Ada\x1b[2J\x07\n")) == "Ada?[2J??"


def test_ascii_replaces_what_is_drawn() -> None:
    assert Look(ascii=True).show(line("╭─╮ ‹X› …")) == "/-\\ <X> ..."


def test_lines_are_cut_by_columns_and_not_by_characters() -> None:
    assert PIPE.show([Span("愛愛"), Span("Ada")], 5) == "愛愛A"
    assert PIPE.show(line("愛愛"), 3) == "愛"
    assert width_of("e\u0301") == 1
    assert fit("愛愛愛", 4) == "愛… "


def test_text_is_broken_at_spaces_and_a_long_word_anywhere() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"]
    assert wrap("", 5) == [""]


def test_spaces_of_a_drawing_cover_nothing() -> None:
    canvas = Canvas(3, 1)
    canvas.put(0, 0, "abc", "dim")
    canvas.put_lines(0, 0, [" x "], "bold")

    assert canvas.lines() == [[Span("a", "dim"), Span("x", "bold"), Span("c", "dim")]]
