"""The client's files, each also under a name that contains the hash of its content.

`board.js` is served as it is, and is revalidated each time. The same file as `board.1f3a….js` can
be cached for ever: other content has another name. The page and the style sheets refer to files by
these names, and a style sheet's hash covers the names in it. Modules import each other by their
plain names, and an import map in the page leads each name to the one with the hash.

What only a reader of the source needs is left out under a name with a hash (`web/slim.py`). Style
sheets that one imports are put in its place. So a first visit is small and takes few requests, and
the files as they are written can still be read under their own names.

Everything is read once, at start-up. A page therefore never gets half of an old version and half of
a new one, and no request can reach a file outside the folder. Nothing here knows of requests.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from server.web.files import IMMUTABLE, TYPES, File
from server.web.slim import slim

SERVED = TYPES.keys() - {".json"}  # package.json is for tools
CLIENT = Path(__file__).parents[2] / "client"
PAGE = "index.html"
ROOT = "/client/"  # the path under which the files are served
DIGITS = 8  # of the hash in a name
ELSEWHERE = ('<body data-view="home"', '<body data-view="opening"')  # at `/`, at other addresses

# In each, `path` is what a file refers to. Comments and other strings are matched to be skipped.
IN_PAGE = re.compile(r'<!--.*?-->|\b(?:href|src)="(?P<path>/client/[^"#?]+)', re.DOTALL)
IN_MODULE = re.compile(
    r"""/\*.*?\*/|//[^\n]*
    |\b(?:from|import(?P<call>\s*\()?)\s*(?P<quote>['"])(?P<path>\.\.?/[^'"\n]+)(?P=quote)
    |'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"
    """,
    re.DOTALL | re.VERBOSE,
)
IN_STYLE = re.compile(
    r"""/\*.*?\*/
    |(?:\burl\(\s*['"]?|@import\s+['"])(?!data:|https?:|[#'")])(?P<path>[^'"\s)\#?]+)
    """,
    re.DOTALL | re.VERBOSE,
)
REFERENCES = {".html": IN_PAGE, ".css": IN_STYLE}
IMPORT_RULE = re.compile(r"""^@import\s+['"](?P<path>[^'"]+)['"];[ \t]*$""", re.MULTILINE)
MODULE_SCRIPT = re.compile(r'<script\b(?=[^>]*\btype="module")[^>]*\bsrc="/client/([^"]+)"')


class BrokenClient(Exception):
    """The client's files refer to one that does not exist, or cannot be made smaller."""


class Assets(NamedTuple):
    """`home`: the HTML at `/`. `page`: the same at any other address, where home is not shown
    before a script has run. `files`: by path below `/client/`, with and without a hash.
    `names`: for each path without a hash, the one with it.
    `inline`: the source expression by which a content security policy allows the import map.
    """

    home: str
    page: str
    files: Mapping[str, File]
    names: Mapping[str, str]
    inline: str


def read_assets(folder: Path = CLIENT) -> Assets:
    """Read every file below `folder`. Raises `BrokenClient`."""
    sources = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in SERVED
    }
    return _Namer(sources).name_all()


class _Namer:
    """Gives each file its name: a style sheet after those that it refers to."""

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self._sources = sources
        self._names: dict[str, str] = {}  # with the hash, by path
        self._files: dict[str, File] = {}

    def name_all(self) -> Assets:
        for path, source in self._sources.items():
            self._files[path] = File.of(source, posixpath.splitext(path)[1])
            if path != PAGE:
                self._name(path)
        page = self._rewrite(PAGE, self._text(PAGE))
        import_map = ""
        if script := MODULE_SCRIPT.search(self._text(PAGE)):
            import_map = self._map_imports(self._imports_of(script[1], later=True))
            tags = f'<script type="importmap">{import_map}</script>\n'
            for module in self._imports_of(script[1], later=False):
                tags += f'<link rel="modulepreload" href="{ROOT}{self._name(module)}">\n'
            page = MODULE_SCRIPT.sub(lambda script: tags + script[0], page)
        digest = base64.b64encode(hashlib.sha256(import_map.encode()).digest()).decode()
        inline = f"'sha256-{digest}'"
        return Assets(page, page.replace(*ELSEWHERE), self._files, self._names, inline)

    def _name(self, path: str) -> str:
        """The path of this file with its hash."""
        if path in self._names:
            return self._names[path]
        stem, suffix = posixpath.splitext(path)
        body = self._sources[path]
        if suffix in (".js", ".css"):
            body = self._rewrite(path, self._text(path)).encode()
        name = f"{stem}.{hashlib.sha256(body).hexdigest()[:DIGITS]}{suffix}"
        self._files[name] = File.of(body, suffix, IMMUTABLE)
        self._names[path] = name
        return name

    def _rewrite(self, path: str, text: str) -> str:
        """This text of a file as it is loaded. The page and style sheets name files by hashes."""
        suffix = posixpath.splitext(path)[1]
        text = IMPORT_RULE.sub(lambda rule: self._imported(path, rule["path"]), text)

        def rename(match: re.Match[str]) -> str:
            found = match["path"]
            if found is None:
                return match[0]
            name = posixpath.basename(self._name(self._resolve(path, found)))
            return match[0].replace(found, posixpath.join(posixpath.dirname(found), name))

        if suffix in REFERENCES:
            text = REFERENCES[suffix].sub(rename, text)
        try:
            return slim(text, suffix)
        except ValueError as error:
            raise BrokenClient(f"client/{path} cannot be read: {error}.") from error

    def _imported(self, path: str, found: str) -> str:
        """A style sheet in the place of its import."""
        target = self._resolve(path, found)
        if posixpath.dirname(target) != posixpath.dirname(path) or IMPORT_RULE.search(
            self._text(target)
        ):
            raise BrokenClient(f"client/{path} imports {found}, which is not a plain sibling.")
        return self._text(target)

    def _map_imports(self, modules: Iterable[str]) -> str:
        """The page's import map: which file each of these modules is loaded from."""
        imports = {ROOT + module: ROOT + self._name(module) for module in modules}
        return json.dumps({"imports": imports}, separators=(",", ":"))

    def _imports_of(self, script: str, later: bool) -> list[str]:
        """What this module imports, and what that imports, once each. `later`: by calls too."""
        reached = [script]
        for path in reached:  # it grows meanwhile
            for match in IN_MODULE.finditer(self._text(path)):
                if match["path"] and (later or not match["call"]):
                    module = self._resolve(path, match["path"])
                    if module not in reached:
                        reached.append(module)
        return reached[1:]

    def _resolve(self, path: str, found: str) -> str:
        """The path of a file that the file at `path` refers to as `found`."""
        if found.startswith(ROOT):
            target = found.removeprefix(ROOT)
        else:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), found))
        if target not in self._sources:
            raise BrokenClient(f"client/{path} refers to {found}, which does not exist.")
        return target

    def _text(self, path: str) -> str:
        return self._sources[path].decode()
