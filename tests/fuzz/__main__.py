"""Runs the property tests of this folder again and again, with another seed each time: ``python -m tests.fuzz 60`` (minutes).

Stops at the first input that breaks one, which Hypothesis prints in its smallest form and tries first next time.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Final

_PASSING: Final = re.compile(r"- (\d+) passing\b")


def main(minutes: float) -> None:
    """Run rounds of all tests until the time is over."""
    end, inputs = time.monotonic() + 60 * minutes, 0
    for number in count(1):
        inputs += _run_round(random.SystemRandom().randrange(2**32))
        left = end - time.monotonic()
        sys.stdout.write(f"round {number}: {inputs:,} inputs so far, all well; {max(left, 0) / 60:.0f} min left\n")
        sys.stdout.flush()
        if left <= 0:
            return


def _run_round(seed: int) -> int:
    """Run each test once with this seed; return the number of inputs that were tried."""
    command = [sys.executable, "-X", "faulthandler", "-m", "pytest", str(Path(__file__).parent), "-q"]
    options = [
        "--hypothesis-profile=fuzz",
        f"--hypothesis-seed={seed}",
        "--hypothesis-show-statistics",
        "--timeout=900",
    ]
    run = subprocess.run([*command, *options], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit(f"{run.stdout}\nA test failed with --hypothesis-seed={seed}")
    return sum(map(int, _PASSING.findall(run.stdout)))


if __name__ == "__main__":
    main(float(sys.argv[1]))
