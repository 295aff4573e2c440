"""The formats as a page: each says in its own module what it is."""

from __future__ import annotations

import importlib

from crowdlog.log.formats.options import FORMATS

_HEAD = """# Formats

Which search logs `crowdlog import` reads. Made by `crowdlog formats --markdown`; do not edit.
The format is recognised from the first lines if `--format` does not say it.
Files may be plain, `.gz` or `.zst`, and many at once.
"""


def describe() -> dict[str, str]:
    """What each format is, by its name."""
    found = {}
    for name, module in FORMATS.items():
        text = importlib.import_module(f"crowdlog.log.formats.{module}").__doc__ or ""
        found[name] = " ".join(text.split())
    return found


def page() -> str:
    """docs/formats.md."""
    parts = [_HEAD]
    for name, what in describe().items():
        parts.append(f"\n## {name}\n\n{what}\n\n```sh\ncrowdlog import LOG --format {name} -o STORE\n```\n")
    return "".join(parts)
