"""The client's files without what only a reader of the source needs: comments and white space, and
the comma after the last of several lines.

Not a minifier: every name and every statement stays, except that `const` becomes the shorter `let`.
It relies on the formatter, which ends each statement with a semicolon, so a line break never ends
one, and on blocks: no loop may have an empty statement as its body. Nothing here knows of files or
paths.

>>> slim("const sum = (a, b) => a + b; // of two", ".js")
'let sum=(a,b)=>a+b;'
"""

from __future__ import annotations

import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<space>\s+)
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    |(?P<word>[\w$\#]+)
    |(?P<sign>.)
    """,
    re.DOTALL | re.VERBOSE,
)
# From a backtick, or from the brace that ends an expression, to the next expression or backtick.
TEMPLATE = re.compile(r"[`}](?:[^`\\$]|\\.|\$(?!\{))*(?P<end>`|\$\{)", re.DOTALL)
PATTERN = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
BEFORE_PATTERN = set("(,=:[!&|?{};>")  # a slash after anything else divides
IN_STYLE = re.compile(
    r"""(?P<string>'[^'\n]*'|"[^"\n]*")|/\*.*?\*/
    |;?\s*(?P<close>\})\s*|\s*(?P<sign>[{;,>])\s*|(?P<colon>:)\s+|(?P<space>\s+)
    """,
    re.DOTALL | re.VERBOSE,
)
IN_PAGE = re.compile(r"<!--.*?-->|^[ \t]+", re.DOTALL | re.MULTILINE)


def slim(text: str, suffix: str) -> str:
    """The text of a file with this suffix, as a browser needs it."""
    match suffix:
        case ".js":
            return _slim_module(text)
        case ".css":
            return IN_STYLE.sub(_keep, text).strip()
        case _:
            return re.sub(r"\n{2,}", "\n", IN_PAGE.sub("", text))


def _keep(match: re.Match[str]) -> str:
    return next((" " if kind == "space" else found for kind, found in _named(match)), "")


def _named(match: re.Match[str]) -> list[tuple[str, str]]:
    return [(kind, found) for kind, found in match.groupdict().items() if found]


def _slim_module(text: str) -> str:
    kept: list[str] = []
    is_apart = False  # there was a space or a comment before this token
    braces: list[int] = []  # how many are open in each expression of a template around this token
    at = 0
    while at < len(text):
        token = _token(text, at, kept[-1] if kept else "(", bool(braces) and not braces[-1])
        at = token.end()
        if token.lastgroup in ("comment", "space"):
            is_apart = True
            continue
        found = token[0]
        if is_apart and kept and _must_part(kept[-1][-1], found[0]):
            kept.append(" ")
        is_apart = False
        if found in (")", "]", "}") and kept[-1:] == [","] and kept[-2] not in ("[", ","):
            kept.pop()  # the comma after the last of a list
        if found == "}" and kept[-1:] == [";"]:
            kept.pop()  # a closing brace ends a statement
        if found == "const" and kept[-1:] != ["."] and text[at : at + 1] == " ":
            found = "let"
        if token.re is TEMPLATE and found[0] == "}":
            braces.pop()
        if token.re is TEMPLATE and token["end"] == "${":
            braces.append(0)
        elif braces and found in "{}":
            braces[-1] += 1 if found == "{" else -1
        kept.append(found)
    return "".join(kept)


def _token(text: str, at: int, before: str, ends_expression: bool) -> re.Match[str]:
    """The token that begins here, after this one."""
    form = TOKEN
    if text[at] == "`" or (text[at] == "}" and ends_expression):
        form = TEMPLATE
    elif text[at] == "/" and text[at + 1] not in "/*" and before[-1] in BEFORE_PATTERN:
        form = PATTERN
    token = form.match(text, at)
    if token is None:
        raise ValueError(f"no end of what begins with {text[at : at + 40]!r}")
    return token


def _must_part(left: str, right: str) -> bool:
    """Whether these would become one token, or another."""
    is_word = all(char.isalnum() or char in "_$#" for char in left + right)
    return is_word or (left == right and left in "+-/")
