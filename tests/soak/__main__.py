"""Runs a job for an hour, measures everything that could leak, and fails when something rises: ``make soak MINUTES=60``.

::

    python -m tests.soak --minutes 5 --every 5
    python -m tests.soak --minutes 5 --every 5 --leak    # to see that a leak is found
    python -m tests.soak --job latency

Ctrl-C ends it with a report of what there is.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import time
from pathlib import Path

from rich.console import Console

from tests.soak import report, samples
from tests.soak.jobs import ALL, JOBS
from tests.soak.soak import JobEndedError, Soak
from tests.soak.verdict import verdicts

_OUT = Path("build/soak")
_WIDTH = 130
"""Of tables that go into a file."""


def main() -> None:
    """Soak as the command line says; exit 1 when something rises, or a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="how long (%(default)s)")
    parser.add_argument("--every", type=float, default=60, help="seconds between two samples (%(default)s)")
    parser.add_argument(
        "--job", choices=JOBS, default=ALL, help="everything in micro-batches, or a copy in latency mode"
    )
    parser.add_argument("--out", type=Path, default=_OUT, help="a folder for samples, picture and log (%(default)s)")
    parser.add_argument(
        "--leak", action="store_true", help="have the job's workers leak a descriptor in each micro-batch"
    )
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    sys.exit(0 if soaked(given.minutes * 60, given.every, given.out, given.job, leak=given.leak) else 1)


def soaked(seconds: float, every_s: float, out: Path, job: str, *, leak: bool) -> bool:
    """Whether all is flat and right; the folder holds the samples and the picture."""
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    path = out / "samples.jsonl"
    path.touch()
    with Soak(out, job, leak=leak) as soak:
        try:
            _measure(soak, seconds, every_s, path)
        except KeyboardInterrupt:
            console.print("Ctrl-C: what there is so far")
        except JobEndedError as error:
            console.print(f"The job has ended: {error}", markup=False)
        found = verdicts(samples.read(path))
        console.print(report.table(found))
        report.picture(found, out / "curves.svg")
        results = soak.results()
    console.print(
        f"{results.expected:,} lines expected: {results.missing.total():,} missing, {results.surplus.total():,} too many"
        f", wrong totals: {', '.join(results.wrong_totals) or 'none'}; all is in {out}"
    )
    return results.is_right and not any(one.rises for one in found)


def _measure(soak: Soak, seconds: float, every_s: float, path: Path) -> None:
    soak.wait_until_at_work()
    began = time.monotonic()
    for number in range(1, int(seconds / every_s) + 1):
        time.sleep(max(0.0, began + number * every_s - time.monotonic()))
        soak.is_running()
        samples.kept(path, samples.Sample(time.monotonic() - began, soak.look()))


if __name__ == "__main__":
    main()
