"""The examples of deploy/: what they name exists, and the programs they are for accept them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.slow
def test_nginx_accepts_its_example(tmp_path):
    certificate = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-subj", "/CN=a.example", "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")),
    ]
    subprocess.run(certificate, check=True, capture_output=True)
    server = (DEPLOY / "nginx.conf").read_text().replace("/etc/crowdlog/", f"{tmp_path}/")
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
