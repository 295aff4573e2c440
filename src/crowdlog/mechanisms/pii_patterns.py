"""Texts that look like an e-mail address, a telephone number or a social security number: left out by their
form, whoever typed them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

_EMAIL = r"[\w.+-]+@[\w-]+\.\w"
_PHONE = r"\(?\b\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}\b"
_SSN = r"\b\d{3}[ -]?\d{2}[ -]?\d{4}\b"
PATTERNS = {"email": _EMAIL, "phone": _PHONE, "ssn": _SSN}
PERSONAL = "|".join(PATTERNS.values())


def looks_personal(texts: pa.StringArray | pa.ChunkedArray[Any]) -> npt.NDArray[np.bool_]:
    """Which of the texts hold one of the three patterns."""
    import pyarrow.compute as pc

    return np.asarray(pc.match_substring_regex(texts, PERSONAL).to_numpy(zero_copy_only=False), np.bool_)
