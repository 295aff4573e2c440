"""A synthetic search log sampled from the tables of a release: post-processing, which costs no privacy.

See docs/synthesize.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crowdlog.progress import Advance
    from crowdlog.release.folder import Release
    from crowdlog.release.synthesize.write import Synthesized


def synthesize_from(
    release: Release,
    path: str | Path,
    *,
    users: int | None = None,
    sessions: int | None = None,
    seed: int = 7,
    progress: Advance = lambda _sessions: None,
) -> Synthesized:
    """Write a log of so many users, or of exactly so many sessions, sampled from a release's tables.

    Beside it, PATH.invented lists the texts that no table holds, and PATH.README.md names the release and its
    guarantee. The same arguments give the same bytes.
    """
    from crowdlog.release.synthesize.write import write_sample

    return write_sample(release, Path(path), users=users, sessions=sessions, seed=seed, progress=progress)
