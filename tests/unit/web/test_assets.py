"""The client's files under names with their hashes, and how they refer to each other by these."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from server.web.assets import Assets, BrokenClient, read_assets
from server.web.files import IMMUTABLE, REVALIDATED
from server.web.slim import slim

PAGE = '<link rel="stylesheet" href="/client/a.css">\n<script type="module" src="/client/a.js">'
IMPORT_MAP = re.compile(r'<script type="importmap">(.*)</script>')
HASHED = re.compile(r"\.[0-9a-f]{8}\.")


def assets_of(folder: Path, files: dict[str, str]) -> Assets:
    """The assets of a folder with these files, and with empty ones that the page names."""
    for path, text in {"index.html": PAGE, "a.css": "", "a.js": "", **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return read_assets(folder)


def name_of(assets: Assets, path: str) -> str:
    """The name with a hash of the file that has this path."""
    [name] = [name for name in assets.files if HASHED.sub(".", name) == path != name]
    return name


def served(assets: Assets, path: str) -> str:
    """The text under the name with a hash, in which the hashes of other names are left out."""
    return HASHED.sub(".#.", assets.files[name_of(assets, path)].body.decode())


def import_map(assets: Assets) -> dict[str, dict[str, str]]:
    [found] = IMPORT_MAP.findall(assets.page)
    imports: dict[str, dict[str, str]] = json.loads(found)
    return imports


def test_a_file_is_served_as_it_is_and_for_ever_under_the_name_of_its_content(
    tmp_path: Path,
) -> None:
    assets = assets_of(tmp_path, {"icons/x.svg": "<svg/>"})
    plain, named = assets.files["icons/x.svg"], assets.files[name_of(assets, "icons/x.svg")]

    assert (plain.body, plain.caching) == (b"<svg/>", REVALIDATED)
    assert (named.body, named.caching) == (b"<svg/>", IMMUTABLE)
    assert (plain.type, named.type) == ("image/svg+xml", "image/svg+xml")


def test_the_page_names_files_by_their_content_and_keeps_other_addresses(tmp_path: Path) -> None:
    page = (
        '<a href="/"><img src="/client/x.svg"></a><use href="/client/x.svg#one">'
        '<!-- href="/client/gone.css" --><a href="/clients">'
    )
    assets = assets_of(tmp_path, {"index.html": page, "x.svg": "<svg/>"})

    name = name_of(assets, "x.svg")
    loaded = page.replace("x.svg", name).replace('<!-- href="/client/gone.css" -->', "")
    assert assets.page == loaded


@pytest.mark.parametrize(
    "text",
    [
        "import { one } from './lib/one.js';",
        'import { one } from "./lib/one.js";',
        "import {\none,\n} from './lib/one.js';",
        "import './lib/one.js';",
        "import * as all from'./lib/one.js'",
        "export { one } from './lib/one.js';",
        "export * from './lib/one.js';",
        "const { one } = await import('./lib/one.js');",
        "import( './lib/one.js' ).then(start)",
        "const quote = 'it\\'s'; import('./lib/one.js');",
    ],
)
def test_the_page_leads_the_import_of_a_module_to_its_content(tmp_path: Path, text: str) -> None:
    assets = assets_of(tmp_path, {"a.js": text, "lib/one.js": "export const one = 1;"})

    expected = {"/client/lib/one.js": f"/client/{name_of(assets, 'lib/one.js')}"}
    assert import_map(assets) == {"imports": expected}
    assert served(assets, "a.js") == slim(text, ".js")


@pytest.mark.parametrize(
    "text",
    [
        "1; /* import './gone.js' */",
        "1; // import './gone.js'",
        """say("taken from './gone.js'")""",
        "const copy = Array.from('./gone.js');",
        "import fs from 'node:fs';",
    ],
)
def test_what_only_looks_like_an_import_is_left_alone(tmp_path: Path, text: str) -> None:
    assert import_map(assets_of(tmp_path, {"a.js": text})) == {"imports": {}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a { b: url(x.svg) }", "a { b: url(x.#.svg) }"),
        ("a { b: url( 'x.svg#one' ) }", "a { b: url( 'x.#.svg#one' ) }"),
        ('a { b: url("../x.svg") }', 'a { b: url("../x.#.svg") }'),
        ("a { b: url(/client/x.svg) }", "a { b: url(/client/x.#.svg) }"),
        ('@import "base.css" layer(base);', '@import "base.#.css" layer(base);'),
        ("@import url('./base.css');", "@import url('./base.#.css');"),
        ("a { b: url(\"data:image/svg+xml,<svg a='b'/>\") }", None),
        ("a { b: url(#gradient) }", None),
    ],
)
def test_a_style_sheet_names_files_by_their_content(
    tmp_path: Path, text: str, expected: str | None
) -> None:
    files = {"css/a.css": text, "css/base.css": "", "css/x.svg": "<svg/>", "x.svg": "<svg/>"}
    if "../x.svg" in text or "/client/" in text:
        del files["css/x.svg"]
    else:
        del files["x.svg"]

    assert served(assets_of(tmp_path, files), "css/a.css") == slim(expected or text, ".css")


def test_a_file_is_slim_under_the_name_of_its_content_only(tmp_path: Path) -> None:
    text = "// why\nrun('http://a');\n"
    assets = assets_of(tmp_path, {"a.js": text})

    assert served(assets, "a.js") == "run('http://a');"
    assert assets.files["a.js"].body.decode() == text


def test_a_module_is_still_found_behind_an_address(tmp_path: Path) -> None:
    text = "const url = `ws://${host}/ws`;\nconst later = import('./b.js');\n"
    assets = assets_of(tmp_path, {"a.js": text, "b.js": ""})

    assert served(assets, "a.js") == "let url=`ws://${host}/ws`;let later=import('./b.js');"
    assert list(import_map(assets)["imports"]) == ["/client/b.js"]


def test_a_line_break_between_two_words_of_the_page_stays_a_space(tmp_path: Path) -> None:
    page = "<p>\n    <b>Your turn</b>\n    <span>against Bo</span>\n</p>"
    assets = assets_of(tmp_path, {"index.html": page})

    assert assets.home == "<p>\n<b>Your turn</b>\n<span>against Bo</span>\n</p>"


def test_style_sheets_take_the_place_of_their_imports(tmp_path: Path) -> None:
    files = {"css/page.css": "@import 'a.css';\n@import './b.css';\n", "css/a.css": "a { b: c }"}
    assets = assets_of(tmp_path, {**files, "css/b.css": "b { c: url(x.svg) }", "css/x.svg": ""})

    assert served(assets, "css/page.css") == "a{b:c}b{c:url(x.#.svg)}"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a.js": "const text = `one ${two};"}, "cannot be read: no end"),
        ({"css/a.css": "@import '../b.css';", "b.css": ""}, "plain sibling"),
        ({"a.css": "@import 'b.css';", "b.css": "@import 'a.css';"}, "plain sibling"),
    ],
)
def test_what_cannot_be_made_smaller_safely_stops_the_start(
    tmp_path: Path, files: dict[str, str], why: str
) -> None:
    with pytest.raises(BrokenClient, match=why):
        assets_of(tmp_path, files)


def test_a_change_gives_a_new_name_to_its_file_and_to_nothing_else(tmp_path: Path) -> None:
    files = {"a.js": "import './b.js'; import './d.js';", "b.js": "import './c.js';", "d.js": ""}
    before = assets_of(tmp_path, {**files, "c.js": "1"})
    after = assets_of(tmp_path, {**files, "c.js": "2"})

    changed = [path for path in ("a.js", "b.js", "c.js", "d.js", "a.css")
               if name_of(before, path) != name_of(after, path)]  # fmt: skip
    assert changed == ["c.js"]
    assert before.page != after.page


def test_a_style_sheet_has_a_new_name_if_a_file_that_it_names_has_changed(tmp_path: Path) -> None:
    files = {"a.css": "a { b: url(x.svg) }"}
    before = assets_of(tmp_path, {**files, "x.svg": "<svg/>"})
    after = assets_of(tmp_path, {**files, "x.svg": "<svg></svg>"})

    assert name_of(before, "a.css") != name_of(after, "a.css")


def test_the_policy_allows_the_import_map_and_no_other_script_in_the_page(tmp_path: Path) -> None:
    assets = assets_of(tmp_path, {"a.js": "import './b.js';", "b.js": ""})

    [inline] = IMPORT_MAP.findall(assets.page)
    digest = hashlib.sha256(inline.encode()).digest()
    assert assets.inline == f"'sha256-{base64.b64encode(digest).decode()}'"


def test_the_page_preloads_every_module_that_its_script_cannot_run_without(
    tmp_path: Path,
) -> None:
    files = {
        "a.js": "import './lib/b.js'; import './c.js';\nimport('./later.js');",
        "lib/b.js": "import '../c.js'; export * from './d.js';",
        "c.js": "",
        "lib/d.js": "",
        "later.js": "import './latest.js';",
        "latest.js": "",
        "unused.js": "",
    }
    assets = assets_of(tmp_path, files)
    page = assets.page

    preloaded = re.findall(r'<link rel="modulepreload" href="/client/(.*?)">', page)
    assert preloaded == [name_of(assets, path) for path in ("lib/b.js", "c.js", "lib/d.js")]
    assert page.endswith(f'<script type="module" src="/client/{name_of(assets, "a.js")}">')


def test_modules_may_import_each_other(tmp_path: Path) -> None:
    assets = assets_of(tmp_path, {"a.js": "import './b.js'", "b.js": "import './a.js'"})

    assert list(import_map(assets)["imports"]) == ["/client/b.js"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "import './gone.js';"),
        ("a.js", "import '../../gone.js';"),
        ("css/b.css", '@import "gone.css";'),
        ("index.html", '<img src="/client/gone.svg">'),
    ],
)
def test_a_file_that_does_not_exist_is_refused_with_the_one_that_names_it(
    tmp_path: Path, path: str, text: str
) -> None:
    with pytest.raises(BrokenClient, match=rf"^client/{path} refers to .*gone.*not exist"):
        assets_of(tmp_path, {path: text})


def test_only_the_root_shows_home_before_a_script_has_run() -> None:
    home, page, *_ = read_assets()

    assert '<body data-view="home"' in home
    assert home.replace('<body data-view="home"', '<body data-view="opening"', 1) == page
