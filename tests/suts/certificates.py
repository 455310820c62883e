"""Throwaway certificates, made by openssl: of an authority, or signed by themselves."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

HOST = "models.example"
_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True)
class Certificates:
    """The file of the authority, and the context of a server called HOST or 127.0.0.1."""

    authority: Path
    server: ssl.SSLContext


def made_certificates(folder: Path) -> Certificates:
    """Make both in an empty folder."""
    authority, key, request, certificate = (folder / name for name in ("ca.pem", "key.pem", "csr.pem", "server.pem"))
    (folder / "names").write_text(f"subjectAltName=DNS:{HOST},IP:127.0.0.1\n")
    subject = ["-subj", "/CN=throwaway"]
    _openssl("req", "-x509", *_NEW_KEY, "-keyout", folder / "ca.key", "-out", authority, *subject, "-days", "2")
    _openssl("req", *_NEW_KEY, "-keyout", key, "-out", request, "-subj", f"/CN={HOST}")
    signer = ["-CA", authority, "-CAkey", folder / "ca.key", "-CAcreateserial", "-extfile", folder / "names"]
    _openssl("x509", "-req", "-in", request, *signer, "-out", certificate, "-days", "2")
    return Certificates(authority, _context(certificate, key))


def self_signed(folder: Path) -> ssl.SSLContext:
    """Make the TLS of a server whose certificate is signed by itself."""
    key, certificate = folder / "key.pem", folder / "cert.pem"
    _openssl("req", "-x509", *_NEW_KEY, "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost")
    return _context(certificate, key)


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
