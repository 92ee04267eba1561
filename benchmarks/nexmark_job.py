"""Nexmark's queries, for kafkastream and for PyFlink: one program, only its imports differ.

Run as ``python -m benchmarks.nexmark_job kafkastream`` or ``… pyflink``, each by a Python that has the package.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from benchmarks.nexmark_queries import count_char, events_table, queries, views
from benchmarks.serving import Task, serve

if TYPE_CHECKING or sys.argv[1] == "kafkastream":
    from kafkastream.table import EnvironmentSettings, TableEnvironment
    from kafkastream.table.udf import udf
else:
    from pyflink.table import EnvironmentSettings, TableEnvironment
    from pyflink.table.udf import udf


def run(task: Task) -> None:
    """Run a query on the events of a topic; its rows are discarded."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", str(os.cpu_count() or 1))
    t_env.get_config().set("table.local-time-zone", "UTC")
    t_env.execute_sql(
        events_table(
            f"'connector' = 'kafka', 'topic' = '{task.topic_in}', 'format' = 'json', "
            f"'properties.bootstrap.servers' = '{task.bootstrap_servers}', 'properties.group.id' = 'benchmark', "
            "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'"
        )
    )
    for view in views():
        t_env.execute_sql(view)
    t_env.create_temporary_function("count_char", udf(count_char, result_type="BIGINT"))
    query = next(one for one in queries() if one.name == task.workload)
    t_env.execute_sql(f"CREATE TABLE target ({query.columns}) WITH ('connector' = 'blackhole')")
    t_env.execute_sql(f"INSERT INTO target {query.select}").wait()


if __name__ == "__main__":
    serve(run)
