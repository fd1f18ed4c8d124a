"""Hashes of texts, over their UTF-8.

Law: a hash is the published one, on every machine and in every version. None of them is for keeping secrets: MD5, SHA-1
and CRC-32 only distinguish texts that were not chosen to collide.
"""

from __future__ import annotations

import hashlib
import zlib

import xxhash

from tidelog.program.functions.arithmetic import wrap
from tidelog.program.values.term import NUMBER

_ORD_SEED = 42


def ordinal(text: str) -> int:
    """A permanent number of the text: its 64-bit xxHash (seed 42, UTF-8), as a signed number.

    Soufflé numbers symbols as they appear; that would depend on the order of changes, so Tidelog does not.
    """
    return wrap(xxhash.xxh64_intdigest(_raw(text), seed=_ORD_SEED), NUMBER)


def md5(text: str) -> str:
    return hashlib.md5(_raw(text), usedforsecurity=False).hexdigest()


def sha1(text: str) -> str:
    return hashlib.sha1(_raw(text), usedforsecurity=False).hexdigest()


def sha256(text: str) -> str:
    return hashlib.sha256(_raw(text)).hexdigest()


def crc32(text: str) -> int:
    return zlib.crc32(_raw(text))


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
