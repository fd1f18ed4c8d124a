"""Tokens of identity providers: only what its keys have signed, for this server, is accepted."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from tests.serve.running import Running, refused, running
from tidelog.errors import TidelogError
from tidelog.serve import issuers
from tidelog.serve.tokens import TokenFolder

ISSUER = "https://id.example.com"
FILE = f"""
["{ISSUER}"]
audience = "tidelog"
keys = "keys.json"

["{ISSUER}".grant.editors]
scopes = ["read", "write"]
write = ["edge"]

["{ISSUER}".grant.readers]
read = ["reach"]
"""


@cache
def rsa_key(name: str) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@cache
def ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def key_set(*names: str) -> str:
    keys = [
        {**RSAAlgorithm.to_jwk(rsa_key(name).public_key(), as_dict=True), "kid": name, "alg": "RS256"} for name in names
    ]
    keys.append({**ECAlgorithm.to_jwk(ec_key().public_key(), as_dict=True), "kid": "ec", "alg": "ES256"})
    secret = base64.urlsafe_b64encode(b"s" * 32).decode().rstrip("=")
    return json.dumps({"keys": [*keys, {"kty": "oct", "k": secret, "kid": "oct", "alg": "HS256"}]})


def token(key: Any = None, algorithm: str = "RS256", kid: str | None = "one", **claims: Any) -> str:
    about = {"iss": ISSUER, "aud": "tidelog", "sub": "ann", "exp": time.time() + 600, "groups": ["readers"], **claims}
    headers = {} if kid is None else {"kid": kid}
    claims = {name: value for name, value in about.items() if value is not None}
    return jwt.encode(claims, rsa_key("one") if key is None else key, algorithm, headers=headers)


def folder(path: Path, text: str = FILE, keys: str | None = None) -> TokenFolder:
    path.mkdir(mode=0o700, exist_ok=True)
    (path / "issuers.toml").write_text(text)
    (path / "issuers.toml").chmod(0o600)
    (path / "keys.json").write_text(keys or key_set("one"))
    return TokenFolder(path)


@contextmanager
def served(path: Path, **more: Any) -> Iterator[Running]:
    with running() as server:
        server.insert("edge", (1, 2))
        server.service.tokens = folder(path, **more)
        yield server


def get(server: Running, text: str, path: str = "/views/reach") -> httpx.Response:
    return httpx.get(f"{server.url}/v1{path}", headers={"Authorization": f"Bearer {text}"})


def test_groups_have_the_rights_of_the_first_grant_that_lists_them(tmp_path: Path) -> None:
    with served(tmp_path / "t") as server:
        for _ in range(2):  # verified, and remembered
            assert get(server, token()).json()["rows"] == [[1, 2]]
        refused(get(server, token(), "/views/edge"), 403, "TL8062")
        assert get(server, token(ec_key(), "ES256", "ec", groups="x editors readers"), "/views/edge").status_code == 200
        writer = {"Authorization": f"Bearer {token(groups=['readers', 'editors'])}"}
        body = {"insert": {"edge": [[2, 3]]}}
        assert httpx.post(f"{server.url}/v1/epochs", json=body, headers=writer).status_code == 200
        refused(
            httpx.post(f"{server.url}/v1/epochs", json={"insert": {"reach": [[2, 3]]}}, headers=writer), 403, "TL8062"
        )
        assert server.service.tokens.grant(token(sub="bob").encode()).name == "bob"  # type: ignore[union-attr]


def test_tokens_that_are_refused(tmp_path: Path) -> None:
    with served(tmp_path / "t") as server:
        wrong = {
            "another key": token(rsa_key("two")),
            "unknown key": token(rsa_key("two"), kid="two"),
            "no key named, of two": token(kid=None),
            "secret of the key set": token(b"s" * 32, "HS256", "oct"),
            "expired": token(exp=time.time() - 60),
            "without end": token(exp=None),
            "not yet": token(nbf=time.time() + 600),
            "for another server": token(aud="other"),
            "for none": token(aud=None),
            "without a name": token(sub=None),
            "a name of two lines": token(sub="ann\nbob"),
            "no group": token(groups=[]),
            "groups of another kind": token(groups={"readers": 1}),
            "an unknown group": token(groups=["others"]),
        }
        for what, text in wrong.items():
            response = get(server, text)
            assert response.headers["www-authenticate"] == "Bearer", what
            assert ISSUER in refused(response, 401, "TL8069")["message"], what
        head, body, signature = token().split(".")
        none = base64.urlsafe_b64encode(b'{"alg":"none","kid":"one"}').decode().rstrip("=")
        public = rsa_key("one").public_key().public_numbers().n.to_bytes(256, "big")
        confused = token(public, "HS256")
        for text in (
            f"{none}.{body}.",
            f"{none}.{body}.{signature}",
            confused,
            f"{head}.{body}.{signature[:-8]}AAAAAAA_",
        ):
            assert get(server, text).status_code == 401
        for text in (token(iss="https://other.example"), "a.b.c", f"{head}.{body}", ".."):
            refused(get(server, text), 401, "TL8001")


def test_a_remembered_token_expires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, text = folder(tmp_path / "t"), token().encode()
    assert tokens.grant(text) is not None
    now = time.time()
    monkeypatch.setattr(issuers.time, "time", lambda: now + 700)
    with pytest.raises(TidelogError, match="expired"):
        tokens.grant(text)


def test_keys_and_issuers_change_without_a_restart(tmp_path: Path) -> None:
    tokens, now = folder(tmp_path / "t"), time.monotonic()
    tokens.clock = lambda: now
    new = token(rsa_key("two"), kid="two").encode()
    with pytest.raises(TidelogError):
        tokens.grant(new)
    (tmp_path / "t" / "keys.json").write_text(key_set("two"))
    now += 2
    assert tokens.grant(new) is not None
    with pytest.raises(TidelogError):
        tokens.grant(token().encode())
    (tmp_path / "t" / "issuers.toml").write_text("[x")
    now += 2
    assert tokens.grant(new) is None
    (tmp_path / "t" / "issuers.toml").write_text(FILE)
    now += 2
    assert tokens.grant(new) is not None


def test_keys_are_requested_from_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issuers, "SOONEST", 0.1)
    names, asked = ["one"], threading.Event()

    class Provider(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            body = key_set(*names).encode() if names else b"{}"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Provider) as provider:
        threading.Thread(target=provider.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{provider.server_port}/keys"
        tokens = folder(tmp_path / "t", FILE.replace("keys.json", address))

        def accepted(text: str) -> bool:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                try:
                    return tokens.grant(text.encode()) is not None
                except TidelogError:
                    time.sleep(0.05)
            return False

        assert accepted(token())
        names[:] = ["two"]  # the provider has new keys: an unknown one makes the server ask for them
        assert accepted(token(rsa_key("two"), kid="two"))
        names[:] = []  # and then answers with something else: the last keys stay
        asked.clear()
        with pytest.raises(TidelogError):
            tokens.grant(token(rsa_key("three"), kid="three").encode())
        assert asked.wait(30)
        assert tokens.grant(token(rsa_key("two"), kid="two", sub="bob").encode()) is not None
        tokens.close()
        provider.shutdown()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[x", "issuers.toml: "),
        ("x = 1", "not a table"),
        (FILE.replace("audience", "audiences"), "audiences"),
        (FILE.replace('audience = "tidelog"', ""), "audience"),
        (FILE.replace('"keys.json"', "1"), "keys"),
        (FILE.replace("keys.json", "http://id.example.com/keys"), "https only"),
        (FILE.replace("keys.json", "nowhere.json"), "No such file"),
        (FILE.replace("keys.json", "issuers.toml"), "Extra data"),
        (FILE.partition('["https://id.example.com".grant.editors]')[0], "grant.VALUE"),
    ],
)
def test_a_wrong_list_of_issuers_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(TidelogError, match=what) as raised:
        folder(tmp_path / "t", text)
    assert raised.value.code == "TL8070"


def test_a_list_that_others_can_write_is_refused(tmp_path: Path) -> None:
    folder(tmp_path / "t")
    (tmp_path / "t" / "issuers.toml").chmod(0o622)
    with pytest.raises(TidelogError, match="other users can write it"):
        TokenFolder(tmp_path / "t")
    (tmp_path / "t" / "issuers.toml").chmod(0o600)
    (tmp_path / "t" / "issuers.toml").write_text(FILE.replace('["read", "write"]', '["all"]'))
    with pytest.raises(TidelogError, match="unknown scope"):
        TokenFolder(tmp_path / "t")
