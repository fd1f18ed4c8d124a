"""Tokens of an identity provider: JSON Web Tokens, verified by the provider's keys.

Law: a token counts only if it is signed with a key of its issuer, by an algorithm for public keys, for this audience,
and has not expired; its grant is the first one in the file that it has. Keys come from a file or an address; while an
address does not answer, the last keys are used. The loop never waits for it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
import threading
import time
import tomllib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tidelog.serve import serve_failures as failures
from tidelog.serve.grants import Grant
from tidelog.serve.named_tokens import read_grant

if TYPE_CHECKING:
    from jwt import PyJWK

LOG = logging.getLogger("tidelog.serve")
FILE = "issuers.toml"
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
FIELDS = {"audience", "keys", "name", "claim", "grant"}
LEEWAY = 30.0  # seconds by which clocks may differ
REFRESH, SOONEST = 300.0, 10.0  # seconds between requests for keys: usually, and when a key is unknown
PATIENCE, LONGEST = 5.0, 1 << 20  # seconds and bytes of a response with keys
REMEMBERED = 1_000  # tokens
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Issuer:
    """What the file says of one issuer; grants are in its order."""

    name: str
    audience: str
    keys: str
    named_by: str
    claim: str
    grants: Mapping[str, Grant]

    def grant(self, claims: Mapping[str, Any]) -> Grant:
        """The grant of verified claims."""
        name, groups = claims.get(self.named_by), claims.get(self.claim, [])
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= 200:
            raise self.refusal(f"its claim `{self.named_by}` is not a name")
        held = groups.split() if isinstance(groups, str) else groups
        for group, grant in self.grants.items():
            if isinstance(held, list) and group in held:
                return replace(grant, name=name)
        raise self.refusal(f"no grant is listed for its claim `{self.claim}`")

    def refusal(self, reason: object) -> Exception:
        """The error for a token of this issuer."""
        return failures.BAD_JWT.error(issuer=self.name, reason=str(reason)[:200])


class IssuerKeys:
    """The keys of one issuer, by their ids; those at an address are requested on a thread until `close`."""

    def __init__(self, issuer: Issuer, folder: Path) -> None:
        self._issuer = issuer
        self._keys: Mapping[str | None, PyJWK] = {}
        self._wanted, self._is_closed = threading.Event(), False
        if _is_address(issuer.keys):
            threading.Thread(target=self._refresh, name="keys", daemon=True).start()
        else:
            file = folder / issuer.keys
            try:
                self._keys = read_keys(file.read_bytes())
            except (OSError, ValueError) as error:
                raise failures.BAD_ISSUERS.error(path=file, what=error) from error

    def find(self, key: str | None) -> PyJWK:
        """The key with an id; without an id, the only key."""
        keys = self._keys
        if key is None and len(keys) == 1:
            return next(iter(keys.values()))
        if key not in keys:
            self._wanted.set()
            raise self._issuer.refusal("its key is unknown")
        return keys[key]

    def close(self) -> None:
        """Request no more keys."""
        self._is_closed = True
        self._wanted.set()

    def _refresh(self) -> None:
        import httpx

        while not self._is_closed:
            try:
                with (
                    httpx.Client(timeout=PATIENCE, follow_redirects=False) as client,
                    client.stream("GET", self._issuer.keys) as response,
                ):
                    response.raise_for_status()
                    content = b""
                    for part in response.iter_bytes():
                        content += part
                        if len(content) > LONGEST:
                            raise ValueError(f"more than {LONGEST} bytes")
                self._keys = read_keys(content)
            except (httpx.HTTPError, OSError, ValueError) as error:
                LOG.warning("the keys of %s could not be read: %s", self._issuer.name, error)
            began = time.monotonic()
            self._wanted.wait(REFRESH)
            while not self._is_closed and time.monotonic() - began < SOONEST:
                time.sleep(0.1)
            self._wanted.clear()


class Issuers:
    """The issuers of a file, and the tokens that were verified lately."""

    def __init__(self, folder: Path) -> None:
        self._issuers = read_issuers(folder / FILE)
        self._keys = {name: IssuerKeys(issuer, folder) for name, issuer in self._issuers.items()}
        self._verified: OrderedDict[bytes, tuple[str, float, Grant]] = OrderedDict()

    @property
    def files(self) -> list[str]:
        """The names of files with keys."""
        return [issuer.keys for issuer in self._issuers.values() if not _is_address(issuer.keys)]

    def close(self) -> None:
        """Request no more keys."""
        for keys in self._keys.values():
            keys.close()

    def grant(self, token: bytes) -> Grant | None:
        """What a token allows; None if it is not a token of one of these issuers."""
        if not self._issuers or token.count(b".") != 2:
            return None
        digest = hashlib.sha256(token).digest()
        if digest not in self._verified:
            found = self._verify(token)
            if found is None:
                return None
            self._verified[digest] = found
            while len(self._verified) > REMEMBERED:
                self._verified.popitem(last=False)
        name, expires, grant = self._verified[digest]
        if time.time() >= expires + LEEWAY:
            del self._verified[digest]
            raise self._issuers[name].refusal("it has expired")
        return grant

    def _verify(self, token: bytes) -> tuple[str, float, Grant] | None:
        import jwt

        try:
            unverified = jwt.decode_complete(token, options={"verify_signature": False})
        except jwt.PyJWTError:
            return None
        issuer = self._issuers.get(str(unverified["payload"].get("iss")))
        if issuer is None:
            return None
        key = self._keys[issuer.name].find(unverified["header"].get("kid"))
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=issuer.audience,
                issuer=issuer.name,
                leeway=LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError as error:
            raise issuer.refusal(error) from None
        return issuer.name, float(claims["exp"]), issuer.grant(claims)


def read_keys(content: bytes) -> dict[str | None, PyJWK]:
    """The public keys of a key set (JWKS) that can verify signatures; ValueError if it is invalid."""
    from jwt import PyJWK, PyJWTError

    values = json.loads(content)
    entries = values.get("keys") if isinstance(values, dict) else None
    if not isinstance(entries, list):
        raise ValueError("it is not a JSON object with `keys`")
    found: dict[str | None, PyJWK] = {}
    for entry in entries:
        if not isinstance(entry, dict) or entry.get("kty") == "oct" or entry.get("use", "sig") != "sig":
            continue
        try:
            key = PyJWK(entry)
        except PyJWTError:  # of a kind that is not known here
            continue
        if key.algorithm_name in ALGORITHMS:
            found[key.key_id] = key
    return found


def read_issuers(file: Path) -> dict[str, Issuer]:
    """The issuers of a file by name; none if it does not exist."""
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source:
            mode = os.fstat(source.fileno()).st_mode
            if not stat.S_ISREG(mode) or mode & 0o022:
                raise failures.BAD_ISSUERS.error(path=file, what="other users can write it")
            entries = tomllib.load(source)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise failures.BAD_ISSUERS.error(path=file, what=error) from error
    return {name: _issuer(file, name, entry) for name, entry in entries.items()}


def _issuer(file: Path, name: str, entry: Any) -> Issuer:
    def invalid(what: str) -> Exception:
        return failures.BAD_ISSUERS.error(path=file, what=f"`{name}`: {what}")

    if not isinstance(entry, dict):
        raise invalid("it is not a table")
    if unknown := sorted(entry.keys() - FIELDS):
        raise invalid(f"unknown field `{unknown[0]}`; known: {', '.join(sorted(FIELDS))}")
    texts = {"name": "sub", "claim": "groups", **{key: value for key, value in entry.items() if key != "grant"}}
    for field in ("audience", "keys", "name", "claim"):
        if not isinstance(texts.get(field), str) or not texts[field]:
            raise invalid(f"`{field}` is not a text")
    address = urlsplit(texts["keys"])
    if _is_address(texts["keys"]) and address.scheme != "https" and address.hostname not in LOOPBACK:
        raise invalid("keys are requested by https only")
    grants = entry.get("grant")
    if not isinstance(grants, dict) or not grants:
        raise invalid(f"it has no table `grant.VALUE` for a value of the claim `{texts['claim']}`")
    found = {value: read_grant(file, value, grant) for value, grant in grants.items()}
    return Issuer(name, texts["audience"], texts["keys"], texts["name"], texts["claim"], found)


def _is_address(keys: str) -> bool:
    return keys.startswith(("https://", "http://"))
