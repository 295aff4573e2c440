"""One service as a process: TLS, a flood of requests, requests that never end."""

import datetime
import socket
import subprocess
import sys
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from crowdlog.crowd.http import Connection
from crowdlog.errors import InputError

pytestmark = pytest.mark.slow


@contextmanager
def _served(folder: Path, *options: str):
    token = folder / "token"
    token.write_text("t" * 32)
    command = [
        sys.executable,
        "-m",
        "crowdlog.cli",
        "crowd",
        "serve",
        "randomness",
        "--data",
        str(folder / "data"),
        "--token-file",
        str(token),
    ]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process.stdout.readline().split()[-1], process
        finally:
            process.kill()


def _certificate(folder: Path) -> tuple[Path, Path]:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "crowdlog test")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
    )
    builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
        now + datetime.timedelta(days=1)
    )
    builder = builder.add_extension(
        x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False
    )
    certificate = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(
        key, hashes.SHA256()
    )
    certfile, keyfile = folder / "cert.pem", folder / "key.pem"
    certfile.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    keyfile.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return certfile, keyfile


def test_tls_is_spoken_and_a_stranger_is_not_trusted(tmp_path):
    certfile, keyfile = _certificate(tmp_path)
    with _served(tmp_path, "--certfile", str(certfile), "--keyfile", str(keyfile)) as (url, _process):
        assert url.startswith("https://")
        with Connection(url, cafile=str(certfile), token="t" * 32, retries=20) as trusted:
            assert len(trusted.call("POST", "/keys")["voprf_public"]) == 64
        with Connection(url, retries=0) as distrusting, pytest.raises(InputError, match="not trusted"):
            distrusting.call("GET", "/openapi.json")


def _ready(url: str) -> None:
    with Connection(url, retries=20) as connection:
        connection.call("GET", "/openapi.json")


def test_a_flood_is_cut_off_and_the_service_lives(tmp_path):
    # ten at once, then one in three hours
    with _served(tmp_path, "--rate", "0.0001", "--body", "2000") as (url, process):
        _ready(url)
        with httpx.Client(base_url=url, timeout=60) as client:
            assert client.post("/keys", content=bytes(4000)).status_code == 413
            statuses = [client.get("/openapi.json").status_code for _ in range(60)]
            assert statuses.count(429) >= 50
            refused = client.get("/openapi.json")
            assert (refused.headers["retry-after"], set(refused.json())) == ("1", {"error"})
        assert process.poll() is None


def test_a_request_that_never_ends_is_given_up(tmp_path):
    with _served(tmp_path, "--read-seconds", "1") as (url, _process):
        _ready(url)
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=120) as slow:
            slow.sendall(b"POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            answer = slow.recv(4096)
        assert b" 408 " in answer.splitlines()[0]
        _ready(url)


def test_services_say_clearly_what_is_missing(tmp_path):
    def run(*options: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "crowdlog.cli", "crowd", "serve", *options],
            capture_output=True,
            text=True,
            check=False,
        )

    (tmp_path / "short").write_text("abc")
    (tmp_path / "token").write_text("t" * 32)
    common = ["--data", str(tmp_path), "--token-file"]
    for options, message in [
        (["randomness", *common, str(tmp_path / "none")], "cannot be read"),
        (["randomness", *common, str(tmp_path / "short")], "at least 32"),
        (["randomness", *common, str(tmp_path / "token"), "--certfile", "x"], "--keyfile"),
        (
            ["mix", *common, str(tmp_path / "token"), *("--certfile", __file__, "--keyfile", __file__)],
            "belong together",
        ),
        (["mix", "--data", "/dev/null", "--token-file", str(tmp_path / "token")], "--data"),
    ]:
        answer = run(*options)
        assert answer.returncode == 1
        assert message in answer.stderr
    assert run("randomness", *common, str(tmp_path / "token"), "--check").stdout.startswith(
        "randomness: data in"
    )
