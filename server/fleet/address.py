"""The address of NATS servers, as in `nats://n1:4222,n2:4222?replicas=3`."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from server.store import BadAddress, CannotOpen

OPTIONS = {"replicas", "prefix", "token_file", "creds", "tls", "ca"}


class Address(NamedTuple):
    """Where the servers are, and how to use them. `replicas`: 0 to find it out."""

    servers: list[str]
    replicas: int
    prefix: str
    token: str | None
    credentials: str | None
    tls: ssl.SSLContext | None


def read_address(url: str) -> Address:
    """Read `nats://HOST:PORT,…?OPTION=…`; `BadAddress` says what is wrong with it, and
    `CannotOpen` what with its files."""
    try:
        parts = urlsplit(url)
    except ValueError as problem:
        raise BadAddress(f"{url!r} is no address: {problem}") from problem
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not parts.netloc or parts.path not in ("", "/"):
        raise BadAddress(f"{url!r} names no server: use nats://HOST:PORT, and commas for several")
    if "@" in parts.netloc:
        raise BadAddress("no secrets in the address: use NATS_TOKEN, ?token_file= or ?creds=")
    if unknown := options.keys() - OPTIONS:
        raise BadAddress(f"{unknown.pop()!r} is no option of nats://; use {', '.join(OPTIONS)}")
    replicas, prefix = options.get("replicas", "0"), options.get("prefix", "noughts")
    if replicas not in ("0", "1", "3", "5"):
        raise BadAddress(f"replicas={replicas}: there can be 1, 3 or 5")
    if not prefix.isascii() or not prefix.isalnum():
        raise BadAddress(f"prefix={prefix}: use letters and digits")
    try:
        token = os.environ.get("NATS_TOKEN")
        if "token_file" in options:
            token = Path(options["token_file"]).read_text(encoding="utf-8").strip()
        tls = None
        if "ca" in options or options.get("tls", "0") != "0":
            tls = ssl.create_default_context(cafile=options.get("ca"))
        if "creds" in options:
            Path(options["creds"]).read_bytes()  # NATS reads it only if its server asks for it
    except (OSError, UnicodeDecodeError) as problem:
        raise CannotOpen(f"cannot use the options of the store: {problem}") from problem
    scheme = "tls" if tls else "nats"
    servers = [f"{scheme}://{host}" for host in parts.netloc.split(",")]
    return Address(servers, int(replicas), prefix, token, options.get("creds"), tls)
