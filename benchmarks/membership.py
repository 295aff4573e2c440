"""Membership games of whole mechanisms: `python -m benchmarks.membership --runs 1000 MECHANISM …`

`crowdlog attack` runs Ladder for some 20 CPU seconds, and mechanisms that read the log anew for each run 40
times at most; here they are run as often as asked. A tenth of the people play in each run, as long as 100,000
games need them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from crowdlog.attacks import attack, ladder_games, membership
from crowdlog.attacks.attacker import Attacker
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.privacy.randomness import SeededRandomness


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="+")
    parser.add_argument("--users", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--runs", type=int, default=1_000)
    given = parser.parse_args()
    membership.RUNS, membership.ROWS = given.runs, 10**12
    ladder_games.MOST, ladder_games.ROWS = given.runs, 10**12
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        synthesize(folder / "log.tsv", users=given.users, seed=given.seed)
        log = import_log(folder / "log.tsv", folder / "store")
        for spelling in given.mechanisms:
            with seeded_release(log, SeededRun(spelling, 3), folder) as release:
                began = time.process_time()
                (found,) = attack(
                    release, log, ["membership"], attacker=Attacker(SeededRandomness(given.seed))
                )
            told = {"mechanism": spelling, "right": found.success, "interval": found.interval}
            used = {"broken": found.broken, "CPU s": round(time.process_time() - began)}
            print(json.dumps({**told, **found.details, **used}), flush=True)


if __name__ == "__main__":
    main()
