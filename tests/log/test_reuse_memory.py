"""Memory that is freed is used again, in a process that is an import's alone."""

import ctypes
import subprocess
import sys

import pytest

# 20 MB: what the system maps and clears anew is counted in pages of 4 kB.
SCRIPT = """
import resource, sys
from threading import Thread
from crowdlog.log.reuse_memory import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
def work():
    held = [bytearray(100_000) for _ in range(200)]
    del held
work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
other = Thread(target=work)
other.start()
other.join()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"), reason="only glibc knows mallopt"
)
def test_another_thread_takes_what_one_has_freed():
    def pages(how: str) -> int:
        done = subprocess.run([sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert pages("kept") < 1000 < pages("freed")
