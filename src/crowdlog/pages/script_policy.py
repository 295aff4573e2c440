"""Which scripts may run in a page: its own, each named by its hash, and no others."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence

_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def policy(scripts: Sequence[str]) -> str:
    """The Content-Security-Policy of a page with these scripts: they run, and nothing else does or is
    loaded.
    """
    allowed = " ".join(f"'{_hash(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'"
    )


def script_hashes(page: str) -> list[str]:
    """The hashes of the scripts that a page of ours allows. They stand in its policy, before the title and
    all else that may come from a log.
    """
    told = _POLICY.search(page.partition("<title>")[0])
    return re.findall(r"sha256-[A-Za-z0-9+/]{43}=", told[1]) if told else []


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
