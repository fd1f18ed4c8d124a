"""IP addresses and CIDR blocks in symbols: their one text, what a block contains, and where it begins and ends.

Law: an address and a block have one text (RFC 5952 for version 6), so that equal ones join. A block may be written
with bits set after its prefix; they are cleared. An address is the block of itself alone. Addresses of different
versions are never in one block.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from tidelog.program.messages import program_failures as failures

Address = IPv4Address | IPv6Address
Block = IPv4Network | IPv6Network
KEPT = 1 << 12


def is_address(text: str) -> int:
    """1 if the text is an IP address, else 0."""
    return int(_address(text) is not None)


def is_block(text: str) -> int:
    """1 if the text is a CIDR block with a prefix length, else 0."""
    return int("/" in text and _block(text) is not None)


def address(text: str) -> str:
    """The one text of an address.

    >>> address("2001:DB8:0::1")
    '2001:db8::1'
    """
    return _text(_known_address(text))


def block(text: str) -> str:
    """The one text of a block.

    >>> block("10.1.2.3/8"), block("10.1.2.3")
    ('10.0.0.0/8', '10.1.2.3/32')
    """
    found = _known_block(text)
    return f"{_text(found.network_address)}/{found.prefixlen}"


def version(text: str) -> int:
    """4 or 6, of an address or a block."""
    return _known_block(text).version


def number(text: str) -> int:
    """An address of version 4 as a number, so that ranges of addresses can be compared.

    >>> number("10.0.0.1")
    167772161
    """
    found = _known_address(text)
    if found.version != 4:
        problem = f"{text!r} is an address of version 6, which does not fit into a number"
        raise failures.FUNCTION_ARGUMENT.error(function="ip_number", problem=problem)
    return int(found)


def contains(outer: str, inner: str) -> int:
    """1 if every address of ``inner``, a block or an address, is in ``outer``, else 0.

    >>> contains("10.0.0.0/8", "10.1.2.3"), contains("10.0.0.0/8", "10.0.0.0/7")
    (1, 0)
    """
    a, b = _known_block(outer), _known_block(inner)
    return int(a.version == b.version and a.prefixlen <= b.prefixlen and b.network_address in a)


def overlaps(left: str, right: str) -> int:
    """1 if an address is in both blocks, else 0."""
    return contains(left, right) or contains(right, left)


def first(text: str) -> str:
    """The first address of a block."""
    return _text(_known_block(text).network_address)


def last(text: str) -> str:
    """The last address of a block.

    >>> first("10.1.2.3/30"), last("10.1.2.3/30")
    ('10.1.2.0', '10.1.2.3')
    """
    return _text(_known_block(text).broadcast_address)


def _text(address: Address) -> str:
    """As RFC 5952 writes it; Python writes mapped addresses so only from 3.13 on."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(address) if mapped is None else f"::ffff:{mapped}"


def _known_address(text: str) -> Address:
    found = _address(text)
    if found is None:
        raise failures.NOT_AN_ADDRESS.error(text=text, wanted="an IP address")
    return found


def _known_block(text: str) -> Block:
    found = _block(text)
    if found is None:
        raise failures.NOT_AN_ADDRESS.error(text=text, wanted="an IP address or a CIDR block")
    return found


@lru_cache(maxsize=KEPT)
def _address(text: str) -> Address | None:
    try:
        return None if "%" in text else ip_address(text)  # a zone has meaning on one machine only
    except ValueError:
        return None


@lru_cache(maxsize=KEPT)
def _block(text: str) -> Block | None:
    base, slash, prefix = text.partition("/")
    if "%" in base or (slash and not (prefix.isascii() and prefix.isdigit())):
        return None  # Python also reads masks, whose meaning depends on their bits
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None
