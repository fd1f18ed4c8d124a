"""What a run's processes present to each other: its token and, over TLS, certificates created for it.

Law: secrets reach the tasks inside the functions that Spark runs there (never by configuration, environment or command
line), appear in no `repr`, and end with the run. Every run has a separate authority, whose key is discarded as soon as
the two certificates are signed: one for the driver, one for the partitions and for tasks that send rows. Both ends of a
connection require the other's certificate, and the name in it identifies the side.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tidelog.spark.resident.resident_failures import NO_CRYPTOGRAPHY

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate

MESSAGE_LIMIT = (1 << 31) - 1  # bytes of a call, of its answer, or of a batch of rows
DRIVER_SIDE, PARTITION_SIDE = "driver.tidelog", "partition.tidelog"
SLACK = timedelta(days=1)  # clocks of machines differ
VALID = timedelta(days=3650)  # as long as an engine may run: the key exists as long


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM texts of one side: the authority to trust, and the certificate to present."""

    authority: bytes = field(repr=False)
    own: bytes = field(repr=False)
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The secrets of one side of a run, and the maximum size of a message that it accepts.

    >>> Credentials("secret")
    Credentials(limit=2147483647)
    """

    token: str = field(repr=False)
    certificates: Certificates | None = field(default=None, repr=False)
    limit: int = MESSAGE_LIMIT


def new_credentials(*, tls: bool, limit: int = MESSAGE_LIMIT) -> tuple[Credentials, Credentials]:
    """The secrets of the driver and those of its partitions, for one run."""
    token = secrets.token_hex(32)
    if not tls:
        return Credentials(token, None, limit), Credentials(token, None, limit)
    driver, partitions = make_certificates()
    return Credentials(token, driver, limit), Credentials(token, partitions, limit)


def make_certificates() -> tuple[Certificates, Certificates]:
    """Two certificates, for the driver and for the partitions, signed by an authority that is then discarded."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding
    except ImportError as error:
        raise NO_CRYPTOGRAPHY.error() from error
    authority = ec.generate_private_key(ec.SECP256R1())
    name = f"tidelog {secrets.token_hex(8)}"
    root = _signed(name, authority, name, authority, is_authority=True)
    trusted = root.public_bytes(Encoding.PEM)

    def side(host: str) -> Certificates:
        key = ec.generate_private_key(ec.SECP256R1())
        own = _signed(host, key, name, authority, is_authority=False)
        return Certificates(trusted, own.public_bytes(Encoding.PEM), _key_text(key))

    return side(DRIVER_SIDE), side(PARTITION_SIDE)


def _signed(
    subject: str,
    key: EllipticCurvePrivateKey,
    issuer: str,
    authority: EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.x509.oid import NameOID

    def x509_name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509_name(subject))
        .issuer_name(x509_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(now + VALID)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
    )
    if not is_authority:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(subject)]), critical=False)
    return builder.sign(authority, SHA256())


def _key_text(key: EllipticCurvePrivateKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
