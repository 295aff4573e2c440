"""All text the kernels can write, as one byte array: a token is a number, its text a slice."""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import I64, U8


class TokenPool:
    """Gives each text one token number."""

    def __init__(self) -> None:
        self._tokens: dict[str, int] = {}

    def token(self, text: str) -> int:
        """The number of this text."""
        return self._tokens.setdefault(text, len(self._tokens))

    def __len__(self) -> int:
        return len(self._tokens)

    def texts(self) -> list[str]:
        """All texts, by number."""
        return list(self._tokens)

    def arrays(self) -> tuple[U8, I64]:
        """The bytes and where each token starts; one more start ends the last."""
        return join_texts(self.texts())


def join_texts(texts: list[str]) -> tuple[U8, I64]:
    """Texts as bytes and offsets."""
    encoded = [text.encode("ascii") for text in texts]
    starts = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=starts[1:])
    return np.frombuffer(b"".join(encoded) or b"\0", np.uint8), starts
