"""One file as an HTTP answer: its type, how long it may be cached, compressed if that is accepted.

It does not know where files come from (`web/assets.py`) or which paths they have (`web/pages.py`).
"""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass
from functools import lru_cache

from aiohttp import web

TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
}
TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)  # not `gzip;q=0`
REVALIDATED = "no-cache"
IMMUTABLE = "public, max-age=31536000, immutable"  # a year


@dataclass(frozen=True, slots=True)
class File:
    """A file, ready to be sent. `caching`: its Cache-Control."""

    body: bytes
    type: str
    etag: str
    caching: str

    @classmethod
    def of(cls, body: bytes, suffix: str, caching: str = REVALIDATED) -> File:
        return cls(body, TYPES[suffix], hashlib.sha256(body).hexdigest()[:32], caching)

    def answer(self, request: web.Request, status: int = 200) -> web.Response:
        headers = {"Cache-Control": self.caching, "Vary": "Accept-Encoding"}
        body, etag = self.body, self.etag
        if TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")):
            headers["Content-Encoding"] = "gzip"
            body, etag = _compress(body), f"{etag}-gzip"
        known = {tag.value for tag in request.if_none_match or ()}
        is_known = status == 200 and (etag in known or "*" in known)
        response = web.Response(
            status=304 if is_known else status,
            body=None if is_known else body,
            content_type=self.type,
            charset="utf-8" if self.type.startswith("text/") else None,
            headers=headers,
        )
        response.etag = etag
        return response


@lru_cache(512)
def _compress(body: bytes) -> bytes:
    """Compress a file once, on its first request. Pages are many, so the oldest are forgotten."""
    return zlib.compress(body, level=9, wbits=31)  # 31 selects the gzip format
