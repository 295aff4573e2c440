"""Test vectors of what a client does besides the cryptography: the hash of the terms, and its draws.

`python -m tests.crowd.client_vectors` writes them anew after a change of the terms.
"""

import json
from pathlib import Path

from crowdlog.crowd.manifest import Job, Manifest, canonical
from crowdlog.crowd.shuffle import sampled, shuffled, uniform_below
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.manifests import manifest_of

PATH = Path(__file__).parents[1] / "vectors" / "crowd-client.json"
BOUNDS = (1, 2, 7, 200, 256, 257, 65_537, 1_000_000, 2**40 + 1)


def vectors() -> dict[str, object]:
    return {
        "manifests": [_described(manifest) for manifest in _manifests()],
        "below": [[n, [uniform_below(n, SeededRandomness(seed)) for seed in range(8)]] for n in BOUNDS],
        "shuffled": [shuffled(range(n), SeededRandomness(n)) for n in (0, 1, 2, 10, 300)],
        "sampled": [
            [millionths, sampled(range(400), millionths, SeededRandomness(millionths))]
            for millionths in (1, 105_000, 500_000, 999_999, 1_000_000)
        ],
    }


def _manifests() -> list[Manifest]:
    panel = 'Straße 𝔸 "1"'
    job = Job(mining_from=1_800_000_000, log_from=1_700_000_000, repeat_seconds=86_400, panel=panel)
    return [
        manifest_of(),
        manifest_of(k=20, sampling=105_000, job=job, title="café \\ à genève", secondary="original"),
        manifest_of(inner_artifact="click", inner_k=7, inner_slots=2),
    ]


def _described(manifest: Manifest) -> dict[str, object]:
    spelled = canonical(manifest.description()).decode()
    return {"manifest": manifest.to_json(), "canonical": spelled, "id": manifest.id}


def written() -> str:
    return json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(written())
