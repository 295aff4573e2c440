"""The answer on its way back: sealed by the submitter for the source, in a few sizes, bound to its query.

HPKE as in `crowdlog.crowd.crypto.envelope`; the source makes a key for each query. What is sealed is the id
of the query, the length of the answer, the answer (its media type, a zero byte, its text in UTF-8) and zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

from crowdlog.crowd.crypto.envelope import MixKey, open_layer, seal_layer
from crowdlog.crowd.crypto.group import SIZE
from crowdlog.errors import InputError
from crowdlog.forwarding.node.messages import MOST_SEALED
from crowdlog.privacy.randomness import Randomness

SIZES = (4 * 1024, 16 * 1024, 64 * 1024)  # lengths of what is sealed
MOST_TEXT = 56 * 1024  # bytes of an answer's text
_CONTEXT = b"crowdlog forwarded answer 1 "
_HEAD = len(_CONTEXT) + 16 + 4


@dataclass(frozen=True)
class Answer:
    """What the search engine answered: its media type and its text."""

    media: str
    text: str

    def as_bytes(self) -> bytes:
        """Return the answer as it is sealed: the text takes no more room than in UTF-8."""
        return f"{self.media}\0{self.text}".encode()


def seal(answer: Answer, query_id: bytes, key: bytes, randomness: Randomness) -> bytes:
    """Return the answer so that only the holder of the secret to `key` reads it.

    InputError when it is too long.
    """
    inside = answer.as_bytes()
    fitting = [size for size in SIZES if _HEAD + len(inside) <= size]
    if not fitting:
        raise InputError(f"An answer has at most {SIZES[-1] - _HEAD} bytes; the engine's has {len(inside)}.")
    plain = _CONTEXT + query_id + len(inside).to_bytes(4, "big") + inside
    sealed = seal_layer(key, plain.ljust(fitting[0], b"\0"), randomness.bytes(SIZE))
    if len(sealed) > MOST_SEALED:
        raise InputError("The sealed answer does not fit in a message.")
    return sealed


def unseal(sealed: bytes, query_id: bytes, key: MixKey) -> Answer:
    """Return the answer, or raise an InputError when it is damaged or belongs to another query."""
    plain = open_layer(key, sealed)
    length = int.from_bytes(plain[_HEAD - 4 : _HEAD], "big")
    if plain[: _HEAD - 4] != _CONTEXT + query_id or len(plain) < _HEAD + length:
        raise InputError("The answer belongs to another query.")
    try:
        media, zero, text = plain[_HEAD : _HEAD + length].decode().partition("\0")
    except UnicodeDecodeError as error:
        raise InputError("The answer is not readable.") from error
    if not zero:
        raise InputError("The answer is not readable.")
    return Answer(media, text)
