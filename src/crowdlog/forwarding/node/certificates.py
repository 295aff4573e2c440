"""Certificates of a trial or of a circle of friends: one authority, made for it and forgotten, and one
certificate for each node.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from crowdlog.crowd.services.keyfile import write_secret
from crowdlog.errors import InputError

_DAYS = 30


class Authority:
    """Signs certificates. Its secret never leaves the process."""

    def __init__(self, name: str = "crowdlog trial", days: int = _DAYS) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name, self._days = _named(name), days
        builder = _builder(self._name, self._name, self._key.public_key(), days)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(_usage(signs=True), critical=True)
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), False
        )
        self._own = builder.sign(self._key, SHA256())

    def certificate(self) -> bytes:
        """Return the certificate that all nodes trust."""
        return self._own.public_bytes(Encoding.PEM)

    def issue(self, name: str, folder: Path) -> tuple[Path, Path]:
        """Write certificate and key of a node; return their paths."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_named(name), self._name, key.public_key(), self._days)
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs=False), critical=True)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        signed = builder.add_extension(issuer, critical=False).sign(self._key, SHA256())
        certificate, secret = folder / f"{name}.crt", folder / f"{name}.key"
        certificate.write_bytes(signed.public_bytes(Encoding.PEM))
        write_secret(secret, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return certificate, secret


def tls(certificate: str, key: str, authority: str, *, listening: bool) -> ssl.SSLContext:
    """Return the context of one side of a link: both sides show a certificate of the authority, TLS 1.3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if listening else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(authority)
    except (OSError, ssl.SSLError) as error:
        raise InputError("The certificate, its key or the authority's certificate cannot be read.") from error
    return context


def peer_name(transport_ssl: ssl.SSLObject) -> str:
    """Return the name in the certificate that the other side showed."""
    shown = transport_ssl.getpeercert() or {}
    pairs: Any = shown.get("subjectAltName", ())
    names = [str(value) for kind, value in pairs if kind == "DNS"]
    return names[0] if names else ""


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=days))
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
