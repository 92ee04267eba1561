"""Counts the records of each key by Spark's own aggregate: ``python -m benchmarks.spark_keys_job FOLDER``.

FOLDER keeps the checkpoints.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.serving import Task, serve
from benchmarks.spark_job import new_session, read
from benchmarks.spark_state_job import STATE_SETTINGS


def main() -> None:
    """Serve tasks with one session."""
    session = new_session(STATE_SETTINGS)

    def run(task: Task) -> None:
        counts = read(session, task).groupBy("value").count()
        checkpoint = str(Path(sys.argv[1], task.topic_out).absolute())
        writer = counts.writeStream.format("noop").outputMode("update").option("checkpointLocation", checkpoint)
        writer.trigger(availableNow=True).start().awaitTermination()

    serve(run)


if __name__ == "__main__":
    main()
