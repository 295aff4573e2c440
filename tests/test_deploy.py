"""The examples of deploy/: what they name exists, and the programs they are for accept them."""

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from crowdlog.cli.crowd_services import serve

DEPLOY = Path(__file__).parents[1] / "deploy"
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
OPTIONS = {name for option in serve.params for name in option.opts if name.startswith("--")}


def program(name: str) -> str:
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/bin:/usr/local/bin")
    assert found, f"{name} is missing: run tools/system-packages"
    return found


def test_there_is_a_unit_for_every_service():
    (service,) = (parameter for parameter in serve.params if parameter.name == "service")
    named = {unit.stem.removeprefix("crowdlog-") for unit in UNITS} - {"send"}
    assert named == set(service.type.choices)
    for unit in UNITS:
        if unit.stem != "crowdlog-send":
            assert f"crowd serve {unit.stem.removeprefix('crowdlog-')} " in unit.read_text()


@pytest.mark.parametrize("place", [*UNITS, DEPLOY / "compose.yaml"], ids=lambda place: place.name)
def test_every_option_exists(place):
    given = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", place.read_text()))
    known = {"--yes", "--due", "--user", "--now"} if "send" in place.name else OPTIONS
    assert given
    assert given <= known


def test_systemd_accepts_the_units(tmp_path):
    """With the program where it is here; everything else as it stands."""
    crowdlog = Path(sys.executable).with_name("crowdlog")
    for unit in DEPLOY.glob("systemd/*"):
        (tmp_path / unit.name).write_text(
            unit.read_text().replace("/opt/crowdlog/bin/crowdlog", str(crowdlog))
        )
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed on this machine")
    units = [str(path) for path in sorted(tmp_path.iterdir())]
    answer = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, timeout=120
    )
    about_ours = [line for line in answer.stderr.splitlines() if "crowdlog-" in line]
    assert about_ours == []


def nginx_example(tmp_path: Path) -> str:
    """The example, with a certificate of our own in the folder."""
    certificate = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-subj", "/CN=a.example", "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")),
    ]
    subprocess.run(certificate, check=True, capture_output=True)
    return (DEPLOY / "nginx.conf").read_text().replace("/etc/crowdlog/", f"{tmp_path}/")


@pytest.mark.slow
@pytest.mark.parametrize("kept_in_memory", [True, False])
def test_nginx_writes_no_body_to_a_disk(tmp_path, kept_in_memory):
    """A request of a megabyte and an answer of four; without the lines about it both go through files."""
    places = [free_port(), free_port()]
    server = nginx_example(tmp_path).replace("listen 443", f"listen 127.0.0.1:{places[0]}")
    server = server.replace("127.0.0.1:8001", f"127.0.0.1:{places[1]}").replace(
        "/dev/null crit", "stderr warn"
    )
    if not kept_in_memory:
        server = re.sub(r"(client_body_buffer_size|proxy_max_temp_file_size) .*;", "", server)
    folders = "".join(
        f"{name}_temp_path {tmp_path}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    own = "user root;" if os.geteuid() == 0 else ""  # its folders are ours
    whole = f"{own}\npid {tmp_path}/pid;\ndaemon off;\nevents {{}}\nhttp {{\n{folders}{server}\n}}\n"
    (tmp_path / "nginx.conf").write_text(whole)
    command = [program("nginx"), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", "stderr"]
    service = ThreadingHTTPServer(("127.0.0.1", places[1]), Echo)
    with service, (tmp_path / "said").open("w") as said, subprocess.Popen(command, stderr=said) as nginx:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        try:
            wait_for(places[0])
            sent = b"x" * 2**20
            trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
            trusted.check_hostname = False  # it is for a.example
            with httpx.stream(
                "POST", f"https://127.0.0.1:{places[0]}/", content=sent, verify=trusted, timeout=60
            ) as answer:
                time.sleep(0.5)  # a slow reader: nginx must put the answer somewhere
                assert answer.read() == 4 * sent
        finally:
            nginx.terminate()
            service.shutdown()
    buffered = (tmp_path / "said").read_text().count("buffered to a temporary file")
    assert buffered == 0 if kept_in_memory else buffered == 2


class Echo(BaseHTTPRequestHandler):
    """Answers with what was sent, four times."""

    def do_POST(self) -> None:
        content = 4 * self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    pytest.fail("nginx does not listen")


@pytest.mark.slow
def test_nginx_accepts_its_example(tmp_path):
    server = nginx_example(tmp_path)
    whole = f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{server}\n}}\n"
    (tmp_path / "nginx.conf").write_text(whole)
    command = [
        program("nginx"),
        "-t",
        "-p",
        str(tmp_path),
        "-c",
        str(tmp_path / "nginx.conf"),
        "-e",
        "stderr",
    ]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert "test is successful" in answer.stderr
    assert "warn" not in answer.stderr
    assert "access_log off" in server  # requests are not logged


@pytest.mark.slow
def test_caddy_accepts_its_example(tmp_path):
    where = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    command = [program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile")]
    answer = subprocess.run(command, capture_output=True, text=True, env=where)
    assert "Valid configuration" in answer.stdout + answer.stderr


def test_the_container_runs_a_service_with_options_that_fit_together():
    assert "dockerfile: deploy/Containerfile" in (DEPLOY / "compose.yaml").read_text()
    container = (DEPLOY / "Containerfile").read_text()
    assert 'ENTRYPOINT ["crowdlog", "crowd", "serve"]' in container
    copied = re.findall(r"^COPY (.+) \S+$", container, re.MULTILINE)
    assert all((DEPLOY.parent / name).exists() for names in copied for name in names.split())
    assert "--require-hashes" in container


def test_the_volume_of_the_image_belongs_to_the_user_who_writes_there():
    """A folder that VOLUME makes is root's, and the service could make no key."""
    steps = (DEPLOY / "Containerfile").read_text().splitlines()
    made = next(n for n, line in enumerate(steps) if re.match(r"RUN install -d -o crowdlog .* /data$", line))
    assert made < steps.index("USER crowdlog") < steps.index("VOLUME /data")
