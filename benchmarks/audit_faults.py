"""How often every seeded fault is found, over seeds it was not tuned on.

Usage: python -m benchmarks.audit_faults [SEED …] [--only WORDS]

Prints one line for each fault: how many of the seeds find it, and the audit that must. The faults are those
of tests/faults/audit whose audit draws random numbers: what the replay, the source and the closed form find
does not depend on a seed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from crowdlog.audit.synthetic_logs import SyntheticLogs
from tests.faults.audit.faults import FAULTS
from tests.faults.audit.running import run

SEEDLESS = ("closed form", "replay", "source")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="*", type=int, default=[101, 102, 103])
    parser.add_argument("--only", default="", help="faults whose name or audit holds this")
    options = parser.parse_args()
    faults = [
        fault
        for fault in FAULTS
        if fault.audit not in SEEDLESS and options.only in f"{fault.name} ({fault.audit})"
    ]
    found = 0
    with tempfile.TemporaryDirectory(prefix="crowdlog-audit-") as folder:
        logs = SyntheticLogs(Path(folder))
        for fault in faults:
            began = time.process_time()
            hits = [
                seed
                for seed in options.seeds
                if any(finding.alarm for finding in run(fault.audit, fault.mechanism, logs, seed))
            ]
            found += len(hits)
            print(
                f"{len(hits)}/{len(options.seeds)} {fault.audit:12} {fault.name} "
                f"({time.process_time() - began:.0f} s)",
                flush=True,
            )
    print(f"{found} of {len(faults) * len(options.seeds)} found")


if __name__ == "__main__":
    main()
