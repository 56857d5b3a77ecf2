"""What NATS servers and their clients prove themselves with: certificates, signed credentials."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from pathlib import Path

import nkeys

ALL = -1  # no limit
LIMITS = {"subs": ALL, "data": ALL, "payload": ALL}
ACCOUNT_LIMITS = {
    **LIMITS, "conn": ALL, "leaf": ALL, "imports": ALL, "exports": ALL, "wildcards": True,
    "mem_storage": ALL, "disk_storage": ALL, "streams": ALL, "consumer": ALL,
}  # fmt: skip
CREDENTIALS = """-----BEGIN NATS USER JWT-----
{jwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
{seed}
------END USER NKEY SEED------
"""


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=nats", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return certificate, key


def make_credentials(file: Path) -> str:
    """Write the credentials of a user; returns the configuration of a server that knows them."""
    operator, system, account, user = (
        _key(kind)
        for kind in (
            nkeys.PREFIX_BYTE_OPERATOR,
            nkeys.PREFIX_BYTE_ACCOUNT,
            nkeys.PREFIX_BYTE_ACCOUNT,
            nkeys.PREFIX_BYTE_USER,
        )
    )
    jwt = _signed(account, user, {"type": "user", "pub": {}, "sub": {}, **LIMITS})
    file.write_text(CREDENTIALS.format(jwt=jwt, seed=user.seed.decode()))
    accounts = {
        _name(each): _signed(operator, each, {"type": "account", "limits": limits})
        for each, limits in ((account, ACCOUNT_LIMITS), (system, {**LIMITS, "conn": ALL}))
    }
    preloaded = "\n".join(f"{name}: {text}" for name, text in accounts.items())
    return f"""
        operator: {_signed(operator, operator, {"type": "operator"})}
        system_account: {_name(system)}
        resolver: MEMORY
        resolver_preload: {{ {preloaded} }}
    """


def _key(kind: int) -> nkeys.KeyPair:
    return nkeys.from_seed(nkeys.encode_seed(os.urandom(32), kind))


def _name(key: nkeys.KeyPair) -> str:
    return str(key.public_key.decode())


def _signed(issuer: nkeys.KeyPair, subject: nkeys.KeyPair, claims: dict[str, object]) -> str:
    body = {
        "jti": base64.b32encode(os.urandom(20)).decode(),
        "iat": int(time.time()),
        "iss": _name(issuer),
        "sub": _name(subject),
        "name": "test",
        "nats": {**claims, "version": 2},
    }
    text = f"{_plain({'typ': 'JWT', 'alg': 'ed25519-nkey'})}.{_plain(body)}"
    return f"{text}.{_encoded(issuer.sign(text.encode()))}"


def _plain(value: dict[str, object]) -> str:
    return _encoded(json.dumps(value).encode())


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
