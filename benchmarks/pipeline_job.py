"""The pipeline of the benchmark: ``python -m benchmarks.pipeline_job TOPIC``."""

from __future__ import annotations

import os
import sys

from benchmarks.serving import SINK_PROPERTIES, Task, serve
from kafkastream.pipeline import Pipeline


def run(task: Task, topic: str) -> None:
    """Take the changes of one topic to another, whatever tables they are of."""
    producer = "\n".join(f"  properties.{key}: '{value}'" for key, value in SINK_PROPERTIES.items())
    Pipeline.from_text(f"""
source:
  type: kafka
  properties.bootstrap.servers: {task.bootstrap_servers}
  topic: {topic}
  scan.startup.mode: earliest-offset
  scan.bounded.mode: latest-offset
transform:
  - source-table: shop.\\.*
    primary-keys: id
sink:
  type: kafka
  properties.bootstrap.servers: {task.bootstrap_servers}
  topic: {task.topic_out}
  partition.strategy: hash-by-key
{producer}
pipeline:
  name: benchmark
  parallelism: {os.cpu_count() or 1}
""").run()


if __name__ == "__main__":
    serve(lambda task: run(task, sys.argv[1]))
