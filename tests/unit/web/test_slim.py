"""Files without comments and white space mean what they meant before."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.web.assets import CLIENT
from server.web.slim import slim


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// why\n\n/**\n * @param {string} room\n */\nrun();\n", "run();"),
        ("  const a = /** @type {any} */ (b);\n", "let a=(b);"),
        ("({ const: 1, a: b.const });", "({const:1,a:b.const});"),
        ("go(1); /* one */\n  /* two */\ngo(3);\n", "go(1);go(3);"),
        ("if (a) {\n  return b;\n}\nelse throw c;", "if(a){return b}else throw c;"),
        ("a + +b; a - -b; a++ + b;", "a+ +b;a- -b;a++ +b;"),
        ("x = a / b / c; // half", "x=a/b/c;"),
        ("go('http://a  b', \"it's /* on */\");", "go('http://a  b',\"it's /* on */\");"),
        (
            "text.match(/^You are [/ ]  '\\/`x/g) ?? a / b",
            "text.match(/^You are [/ ]  '\\/`x/g)??a/b",
        ),
        ("const test = (a) => /a  b/.test(a);", "let test=(a)=>/a  b/.test(a);"),
        ("`one  // two`  +  `a\n  b`", "`one  // two`+`a\n  b`"),
        ("`a  ${ b }  c ${ { d: 'e' } } \\` $f`", "`a  ${b}  c ${{d:'e'}} \\` $f`"),
        ("`x ${a ? `y  ${b} · z` : ''} `;  // end", "`x ${a?`y  ${b} · z`:''} `;"),
        ("`${a}` in b", "`${a}`in b"),
        ("go(\n  { a, },\n  [b, 'c,',],\n);", "go({a},[b,'c,']);"),
        ("[, a] = [b, , ]; [,];", "[,a]=[b,,];[,];"),
    ],
)
def test_a_module_keeps_its_tokens_and_its_texts(text: str, expected: str) -> None:
    assert slim(text, ".js") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/* Why. */\na {\n  b: c;\n  d: e;\n}\n", "a{b:c;d:e}"),
        ("a :is(.b, .c) > :d:not( .e ) { f: g }", "a :is(.b,.c)>:d:not( .e ){f:g}"),
        ("a { width: calc(1px + 2 * (3px - 4px)) }", "a{width:calc(1px + 2 * (3px - 4px))}"),
        ("@media (hover: hover) and (width >= 9px) {}", "@media (hover:hover) and (width>= 9px){}"),
        ("a::before { content: ' ; } /* b */' }", "a::before{content:' ; } /* b */'}"),
        ("a { font: 'B  C', d }\n\ne { f: g }", "a{font:'B  C',d}e{f:g}"),
    ],
)
def test_a_style_sheet_keeps_its_rules(text: str, expected: str) -> None:
    assert slim(text, ".css") == expected


def test_a_page_keeps_a_space_wherever_it_has_one() -> None:
    text = "<p>\n    <b>Your turn</b>\n\n    <span>against Bo</span>\n</p><!-- end -->"
    assert slim(text, ".html") == "<p>\n<b>Your turn</b>\n<span>against Bo</span>\n</p>"


@pytest.mark.parametrize("text", ["`one ${two};", "go(/one"])
def test_a_text_that_has_no_end_is_not_guessed_at(text: str) -> None:
    with pytest.raises(ValueError, match="no end"):
        slim(text, ".js")


@pytest.mark.parametrize("path", sorted(CLIENT.rglob("*.js")), ids=lambda path: path.name)
def test_every_module_of_the_client_can_be_read_to_its_end(path: Path) -> None:
    once = slim(path.read_text(encoding="utf-8"), ".js")
    assert slim(once, ".js") == once
