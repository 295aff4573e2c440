"""How often every seeded fault is found, over seeds it was not tuned on. Usage: python -m benchmarks.audit_faults [SEED …] [--only WORDS]

Prints one line for each fault: the audit that must find it and the seeds with which it does. The faults are those of tests/faults/audit.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from crowdlog.audit.laboratory import Laboratory
from tests.faults.audit.faults import FAULTS
from tests.faults.audit.running import run


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="*", type=int, default=[101, 102, 103])
    parser.add_argument("--only", default="", help="faults whose name or audit holds this")
    parser.add_argument("--part", default="0/1", help="i/n: every n-th fault from the i-th on")
    options = parser.parse_args()
    start, step = map(int, options.part.split("/"))
    found = tried = 0
    for fault in [fault for fault in FAULTS if options.only in f"{fault.name} ({fault.audit})"][start::step]:
        with tempfile.TemporaryDirectory(prefix="crowdlog-audit-") as folder:
            laboratory, began = Laboratory(Path(folder)), time.process_time()
            hits = [seed for seed in options.seeds if any(finding.alarm for finding in run(fault.audit, fault.mechanism, laboratory, seed))]
        found, tried = found + len(hits), tried + len(options.seeds)
        print(f"{len(hits)}/{len(options.seeds)} {fault.audit:12} {fault.name} {time.process_time() - began:.0f} s", flush=True)
    print(f"{found} of {tried} found")


if __name__ == "__main__":
    main()
