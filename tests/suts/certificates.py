"""A throwaway certificate authority, and a server's certificate of it, made by openssl."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

HOST = "models.example"


@dataclass(frozen=True)
class Certificates:
    """The file of the authority, and the context of a server called HOST or 127.0.0.1."""

    authority: Path
    server: ssl.SSLContext


def made_certificates(folder: Path) -> Certificates:
    """Make both in an empty folder."""
    authority, key, request, certificate = (folder / name for name in ("ca.pem", "key.pem", "csr.pem", "server.pem"))
    (folder / "names").write_text(f"subjectAltName=DNS:{HOST},IP:127.0.0.1\n")
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subject = ["-subj", "/CN=throwaway"]
    _openssl("req", "-x509", *new_key, "-keyout", folder / "ca.key", "-out", authority, *subject, "-days", "2")
    _openssl("req", *new_key, "-keyout", key, "-out", request, "-subj", f"/CN={HOST}")
    signer = ["-CA", authority, "-CAkey", folder / "ca.key", "-CAcreateserial", "-extfile", folder / "names"]
    _openssl("x509", "-req", "-in", request, *signer, "-out", certificate, "-days", "2")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return Certificates(authority, context)


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
