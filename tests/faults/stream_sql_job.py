"""The copying job in SQL on a stream: ``python stream_sql_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE``."""

from __future__ import annotations

import sys

from kafkastream.common import Row, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.table import StreamTableEnvironment
from tests.faults.copy_job import numbers
from tests.faults.sql_job import Sabotaged, copy

__all__ = ["Sabotaged"]


def main(servers: str, source: str, target: str, checkpoints: str, _: str, guarantee: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    t_env = StreamTableEnvironment.create(env)
    rows = numbers(env, servers, source).map(Row, Types.ROW_NAMED(["n"], [Types.STRING()]))
    t_env.create_temporary_view("numbers", rows)
    copy(t_env, servers, target, checkpoints, guarantee)


if __name__ == "__main__":
    main(*sys.argv[1:])
