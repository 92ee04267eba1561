"""Copies numbers in SQL without Python: ``python real_time_job.py SERVERS FROM TO CHECKPOINTS FOLDER GUARANTEE``.

The file ``timeout`` in the folder has the buffer timeout, which chooses the mode.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kafkastream.table import EnvironmentSettings, TableEnvironment


def main(servers: str, source: str, target: str, checkpoints: str, folder: str, guarantee: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    config = t_env.get_config().set("pipeline.name", "killed")
    config.set("execution.checkpointing.interval", "5 s").set("execution.checkpointing.dir", checkpoints)
    config.set("execution.buffer-timeout.interval", (Path(folder) / "timeout").read_text())
    topics = f"'connector' = 'kafka', 'format' = 'raw', 'properties.bootstrap.servers' = '{servers}'"
    t_env.execute_sql(f"""
        CREATE TABLE numbers (n STRING) WITH ({topics}, 'topic' = '{source}', 'properties.group.id' = 'killed',
          'scan.startup.mode' = 'earliest-offset')
    """)
    t_env.execute_sql(f"""
        CREATE TABLE copies (n STRING) WITH ({topics}, 'topic' = '{target}',
          'sink.delivery-guarantee' = '{guarantee.lower().replace("_", "-")}')
    """)
    t_env.execute_sql("INSERT INTO copies SELECT n FROM numbers").wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
