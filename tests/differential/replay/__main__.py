"""Replays random jobs: ``python -m tests.differential.replay MINUTES``, or ``… --seed N [--graph M]`` for one of them."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from kafkastream.spark.session.session import spark_session
from kafkastream.testing import EmbeddedKafka
from tests.differential.replay.job import Job
from tests.differential.replay.replay import Replay

_GRAPHS = 30


def main() -> None:
    """Replay jobs until the time is over, or one differs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", nargs="?", type=float, default=0)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--graphs", type=int, default=_GRAPHS)
    parser.add_argument("--graph", type=int, action="append")
    options = parser.parse_args()
    end, graphs, batches, differing = time.monotonic() + 60 * options.minutes, 0, 0, 0
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    with EmbeddedKafka() as kafka:
        spark = spark_session()
        while True:
            seeds = options.graph or range(seed * 1000, seed * 1000 + options.graphs)
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                replay = Replay(Job(seed, tuple(seeds)), kafka, spark, Path(folder))
                differences = replay.run()
            graphs, batches, differing = graphs + len(seeds), batches + replay.batches, differing + bool(differences)
            for difference in differences[:20]:
                sys.stdout.write(f"{difference.what}\n  Spark:  {difference.spark}\n  driver: {difference.driver}\n")
            sys.stdout.write(
                f"seed {seed}: {graphs} graphs, {batches} micro-batches, {differing} jobs that differ; "
                f"{time.monotonic() - began:.1f} s\n"
            )
            sys.stdout.flush()
            seed += 1
            if time.monotonic() >= end:
                break
        spark.stop()
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
