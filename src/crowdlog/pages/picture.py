"""A picture inside a page, so that the page stays one file."""

from __future__ import annotations

import base64
from pathlib import Path

from crowdlog.errors import InputError

_KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml"}
_MOST = 500_000  # bytes: every page carries it
_SVG = "http://www.w3.org/2000/svg"


def picture(path: Path) -> str:
    """The file as what follows `data:` in an address. A script inside an SVG does not run in a picture."""
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"A logo is a file of {', '.join(_KINDS)}. Got {path}.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"The logo {path} cannot be read: {error.strerror}. Choose another file.") from None
    if len(data) > _MOST:
        raise InputError(f"The logo has {len(data)} bytes; at most {_MOST} fit. Make it smaller.")
    if kind == _KINDS[".svg"] and not _is_drawn(data):
        raise InputError(
            f"The logo {path} is not an SVG that browsers draw: it must be well-formed XML, best in UTF-8, "
            f'with <svg xmlns="{_SVG}"> around all. Export it anew.'
        )
    return f"{kind};base64,{base64.b64encode(data).decode()}"


def _is_drawn(data: bytes) -> bool:
    """Of a broken SVG a page would show its frame alone, and nobody would be told."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:  # drawing programs define entities of their own
        root = fromstring(data, forbid_entities=False)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        return False
    return bool(root.tag == f"{{{_SVG}}}svg")
