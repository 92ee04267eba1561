"""What Spark's Python workers are forked of."""

from __future__ import annotations

import subprocess
import sys

FORKED = """
import os
from kafkastream.spark.daemon import preload

preload()
for _ in range(2):
    child = os.fork()
    if not child:
        import numpy, random
        os.write(1, f"{numpy.random.random()} {random.random()}\\n".encode())
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_workers_do_not_have_the_same_random_numbers() -> None:
    ran = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, timeout=60)
    one, other = (line.split() for line in ran.stdout.splitlines())
    assert not set(one) & set(other)
