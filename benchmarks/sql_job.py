"""The SQL job, for kafkastream and for PyFlink: one program, only its imports differ.

Run as ``python -m benchmarks.sql_job kafkastream`` or ``… pyflink``, each by a Python that has the package; with
``"latency mode"`` behind it, without a buffer timeout.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from benchmarks.orders import FIELDS
from benchmarks.serving import LATENCY, SINK_PROPERTIES, SQL_FILTER, SQL_HOPS, SQL_WINDOWS, VISIBILITY, Task, serve

if TYPE_CHECKING or sys.argv[1] == "kafkastream":
    from kafkastream.table import EnvironmentSettings, TableEnvironment
else:
    from pyflink.table import EnvironmentSettings, TableEnvironment

_CSV = "'format' = 'csv', 'csv.field-delimiter' = ' '"
_JOBS = {
    SQL_FILTER: (
        "id BIGINT, customer STRING, price DOUBLE",
        "'format' = 'json'",
        "INSERT INTO target SELECT id, customer, price FROM orders WHERE price > 25",
    ),
    SQL_WINDOWS: (
        "customer STRING, `start` TIMESTAMP(3), n BIGINT",
        _CSV,
        """
        INSERT INTO target
        SELECT customer, window_start, COUNT(*)
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
        GROUP BY customer, window_start, window_end
        """,
    ),
    SQL_HOPS: (
        "customer STRING, `start` TIMESTAMP(3), total DOUBLE, mean DOUBLE, least DOUBLE, most DOUBLE, n BIGINT",
        _CSV,
        """
        INSERT INTO target
        SELECT customer, window_start, SUM(price), AVG(price), MIN(price), MAX(price), COUNT(*)
        FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '1' MINUTE))
        GROUP BY customer, window_start, window_end
        """,
    ),
}
"""Columns of the output, its format, and the statement, by workload."""


def run(task: Task) -> None:
    """Take the records of one topic to another."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", str(os.cpu_count() or 1))
    t_env.get_config().set("table.local-time-zone", "UTC")
    if LATENCY in sys.argv:
        t_env.get_config().set("execution.buffer-timeout.interval", "0 ms")
    if task.workload == VISIBILITY:
        _copy(t_env, task)
    else:
        _process(t_env, task)


def _copy(t_env: TableEnvironment, task: Task) -> None:
    """Begin to copy texts, without an end."""
    t_env.get_config().set("execution.checkpointing.interval", "10 s")
    both = f"'connector' = 'kafka', 'format' = 'raw', 'properties.bootstrap.servers' = '{task.bootstrap_servers}'"
    t_env.execute_sql(f"""
        CREATE TABLE source (text STRING) WITH (
          {both}, 'topic' = '{task.topic_in}', 'properties.group.id' = 'benchmark',
          'scan.startup.mode' = 'earliest-offset'
        )
    """)
    t_env.execute_sql(f"CREATE TABLE target (text STRING) WITH ({both}, 'topic' = '{task.topic_out}')")
    t_env.execute_sql("INSERT INTO target SELECT text FROM source WHERE text IS NOT NULL")


def _process(t_env: TableEnvironment, task: Task) -> None:
    """Run a workload to its end."""
    columns, form, statement = _JOBS[task.workload]
    fields = ", ".join(f"`{name}` {kind}" for name, kind in FIELDS.items())
    servers = f"'properties.bootstrap.servers' = '{task.bootstrap_servers}'"
    t_env.execute_sql(f"""
        CREATE TABLE orders (
          {fields}, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR ts AS ts
        ) WITH (
          'connector' = 'kafka', 'topic' = '{task.topic_in}', {servers}, 'properties.group.id' = 'benchmark',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )
    """)
    producer = ", ".join(f"'properties.{key}' = '{value}'" for key, value in SINK_PROPERTIES.items())
    t_env.execute_sql(f"""
        CREATE TABLE target ({columns})
        WITH ('connector' = 'kafka', 'topic' = '{task.topic_out}', {servers}, {form}, {producer})
    """)
    t_env.execute_sql(statement).wait()


if __name__ == "__main__":
    serve(run)
