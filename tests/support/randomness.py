"""Frozen randomness: every draw of noise is the median, about 0.

For replaying neighbours; nothing it makes is private.
"""


class FrozenRandomness:
    private = False

    def bytes(self, n: int) -> bytes:
        return b"\x80" * n
