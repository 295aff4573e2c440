"""Signed studies, and the catalogue of them that an operator serves as one static file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from crowdlog.crowd.crypto.signing import SigningKey, signed
from crowdlog.crowd.manifest import canonical
from crowdlog.crowd.studies.study_file import check_study
from crowdlog.errors import InputError

STUDY, CATALOGUE = "study", "catalogue"
_MESSAGE = {"from", "date", "text"}
_DATE = re.compile(r"20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_LONGEST = 4000  # characters; browsers show no longer message
_FEEDBACK = re.compile(r"https://[^/?#\s]+/[^#\s]*")


def sign(kind: str, value: Any, key: SigningKey) -> dict[str, Any]:
    """Put a study or a catalogue into its signed envelope."""
    return {kind: value, "signing": key.public.hex(), "signature": key.sign(kind, canonical(value)).hex()}


def open_signed(kind: str, envelope: Any) -> Any:
    """Return what an envelope holds if its signature fits."""
    if not isinstance(envelope, dict) or set(envelope) != {kind, "signing", "signature"}:
        raise InputError(f"The file is no signed {kind}.")
    try:
        key, signature = bytes.fromhex(envelope["signing"]), bytes.fromhex(envelope["signature"])
    except (ValueError, TypeError) as error:
        raise InputError(f"The file is no signed {kind}.") from error
    if not signed(key, kind, canonical(envelope[kind]), signature):
        raise InputError(f"The signature of the {kind} does not fit it; it was changed after it was signed.")
    return envelope[kind]


def catalogue(
    studies: Sequence[Any], messages: Sequence[dict[str, str]], key: SigningKey, feedback: str = ""
) -> dict[str, Any]:
    """A catalogue of signed studies and messages to the people who read it; `feedback` is the address to
    which they may write.
    """
    known: set[str] = set()
    for envelope in studies:
        study = open_signed(STUDY, envelope)
        if wrong := check_study(study):
            raise InputError(wrong[0])
        if study["id"] in known:
            raise InputError(f"Two studies of the catalogue have the id '{study['id']}'.")
        known.add(study["id"])
    if not isinstance(messages, list) or not all(map(_is_message, messages)):
        raise InputError(
            "Messages must be a list of objects with 'from', 'date' (as in 2026-11-17) and 'text' alone."
        )
    if feedback and not _FEEDBACK.fullmatch(feedback):
        raise InputError("The address for feedback must begin with https:// and have a path.")
    content = {"studies": list(studies), "messages": list(messages)}
    return sign(CATALOGUE, content | ({"feedback": feedback} if feedback else {}), key)


def _is_message(value: Any) -> bool:
    """Whether a browser would show it; it leaves out what it cannot read."""
    if not isinstance(value, dict) or set(value) != _MESSAGE:
        return False
    texts = all(isinstance(part, str) and 0 < len(part) <= _LONGEST for part in value.values())
    return texts and bool(_DATE.fullmatch(value["date"]))
