"""SeNDlog's `says` and `encrypts`: signatures and sealed messages.

`X says p(...)` is signed with the key of X (Ed25519); `encrypts` seals a message for its receiver (X25519, HKDF and
ChaCha20-Poly1305).

Law: a message is accepted if and only if the named sayer's key signed exactly this relation and row, and a sealed one
can only be opened by its receiver. The keys of a run are made from its seed, so that runs can be repeated: they protect
nothing outside the simulation.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tidelog.lab.network import network_failures as failures
from tidelog.lab.network.functions import text
from tidelog.lab.network.program import Row

try:
    from cryptography.exceptions import InvalidSignature, InvalidTag
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    IS_INSTALLED = True
except ImportError:  # pragma: no cover  # an extra
    IS_INSTALLED = False

_NONCE = bytes(12)  # a key seals one message only


@dataclass(frozen=True, slots=True)
class Envelope:
    """What travels: the row as bytes, sealed or not, with a signature or without."""

    payload: bytes
    signature: bytes | None
    ephemeral: bytes | None


class Notary:
    """The keys of all nodes of a run."""

    def __init__(self, seed: int) -> None:
        if not IS_INSTALLED:
            raise failures.SIGNATURES.error()
        self._seed = seed
        self._sealed = 0

    def seal(self, sayer: str, target: str, relation: str, row: Row, signed: bool, encrypted: bool) -> Envelope:
        """Sign a row in the name of a sayer, and seal it for its receiver."""
        plain = _content(relation, row)
        signature = self._signing_key(sayer).sign(plain) if signed else None
        if not encrypted:
            return Envelope(plain, signature, None)
        self._sealed += 1
        ephemeral = X25519PrivateKey.from_private_bytes(self._secret(f"message {self._sealed}"))
        shared = ephemeral.exchange(self._sealing_key(target).public_key())
        return Envelope(
            _cipher(shared).encrypt(_NONCE, plain, None), signature, ephemeral.public_key().public_bytes_raw()
        )

    def accepts(self, envelope: Envelope, target: str, sayer: str, relation: str, row: Row) -> bool:
        """Whether a receiver can open an envelope, finds this row in it, and the sayer has signed it."""
        plain = envelope.payload
        try:
            if envelope.ephemeral is not None:
                shared = self._sealing_key(target).exchange(X25519PublicKey.from_public_bytes(envelope.ephemeral))
                plain = _cipher(shared).decrypt(_NONCE, envelope.payload, None)
            if envelope.signature is not None:
                self._signing_key(sayer).public_key().verify(envelope.signature, plain)
        except (InvalidSignature, InvalidTag):
            return False
        return plain == _content(relation, row)

    def _secret(self, purpose: str) -> bytes:
        return hashlib.sha256(f"{self._seed}/{purpose}".encode()).digest()

    def _signing_key(self, name: str) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self._secret(f"sign {name}"))

    def _sealing_key(self, name: str) -> X25519PrivateKey:
        return X25519PrivateKey.from_private_bytes(self._secret(f"seal {name}"))


def _content(relation: str, row: Row) -> bytes:
    return text((relation, *row)).encode()


def _cipher(shared: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(HKDF(SHA256(), 32, salt=None, info=b"tidelog simulate").derive(shared))
