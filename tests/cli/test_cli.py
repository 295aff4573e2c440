import subprocess
import sys

from crowdlog import __version__


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", *args], capture_output=True, text=True, check=False
    )


def test_version():
    assert run("--version").stdout.strip() == f"crowdlog, version {__version__}"


def test_unknown_command_is_the_users_input():
    answer = run("no-such-command")
    assert answer.returncode == 1
    assert answer.stderr.startswith("crowdlog: No such command")
