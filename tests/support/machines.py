"""Machines of their own on one: network namespaces that see each other through a bridge and nothing else,
with names and certificates. Needs root.
"""

import datetime
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_NETWORK = "10.213.77"  # inside the namespaces only
_HOSTS = Path("/etc/netns")  # `ip netns exec` puts NAME/hosts in the place of /etc/hosts


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Machines:
    """Namespaces by name; `folder` has a folder for each, in which its commands run."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self.folder = folder
        self.spaces = {name: f"clt{os.getpid()}-{number}" for number, name in enumerate(names)}
        self.addresses = {name: f"{_NETWORK}.{number + 1}" for number, name in enumerate(names)}

    def command(self, name: str, line: str) -> list[str]:
        return [
            "ip",
            "netns",
            "exec",
            self.spaces[name],
            "bash",
            "-c",
            f"cd {self.folder / name} && exec {line}",
        ]

    def environment(self, **more: str) -> dict[str, str]:
        """With this crowdlog first in the path."""
        return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": "/nonexistent", **more}


@contextmanager
def machines(names: Sequence[str], folder: Path) -> Iterator[Machines]:
    """Set the machines up, and take them away again."""
    made = Machines(names, folder)
    switch = f"clt{os.getpid()}-sw"
    hosts = "".join(f"{address} {name}\n" for name, address in made.addresses.items())
    with ExitStack() as stack:

        def space(name: str) -> None:
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("-n", name, "link", "set", "lo", "up")

        space(switch)
        ip("-n", switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", switch, "link", "set", "bridge", "up")
        for number, (name, own) in enumerate(made.spaces.items()):
            space(own)
            # both ends are born inside namespaces: nothing appears on the machine itself
            ip(
                "-n",
                own,
                "link",
                "add",
                "eth0",
                "type",
                "veth",
                "peer",
                "name",
                f"port{number}",
                "netns",
                switch,
            )
            ip("-n", switch, "link", "set", f"port{number}", "master", "bridge", "up")
            ip("-n", own, "addr", "add", f"{made.addresses[name]}/24", "dev", "eth0")
            ip("-n", own, "link", "set", "eth0", "up")
            (_HOSTS / own).mkdir(parents=True)
            stack.callback(shutil.rmtree, _HOSTS / own)
            (_HOSTS / own / "hosts").write_text(f"127.0.0.1 localhost\n{hosts}")
            (folder / name).mkdir()
        yield made


def certify(folder: Path, names: Sequence[str]) -> None:
    """An authority of one's own: `ca.pem` in every folder, certificate and key in those of these names."""
    authority = ec.generate_private_key(ec.SECP256R1())
    ca = _certificate("authority of the test", authority, None)
    for place in folder.iterdir():
        (place / "ca.pem").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    for name in names:
        key = ec.generate_private_key(ec.SECP256R1())
        signed = _certificate(name, key, (authority, ca))
        (folder / name / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        form = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / name / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: tuple[ec.EllipticCurvePrivateKey, x509.Certificate] | None,
) -> x509.Certificate:
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signer, above = issuer or (key, None)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(above.subject if above else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.BasicConstraints(ca=above is None, path_length=None), critical=True)
    )
    if above is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(signer, hashes.SHA256())
