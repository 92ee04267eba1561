"""Copy a topic to another cluster, each record exactly once, with its key, headers and time."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool

COLUMNS = """
    k BYTES,
    v BYTES,
    headers MAP<STRING, BYTES> METADATA,
    ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'
"""
BYTES = "'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY'"


def main(servers: str, to_servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("execution.checkpointing.dir", "file:///data/checkpoints")
    t_env.get_config().set("execution.checkpointing.interval", "10 s")
    t_env.get_config().set("pipeline.name", "copy-orders")
    t_env.execute_sql(f"""
        CREATE TABLE here ({COLUMNS}) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}', {BYTES},
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE there ({COLUMNS}) WITH (
          'connector' = 'kafka', 'topic' = 'orders-copy', 'properties.bootstrap.servers' = '{to_servers}', {BYTES},
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'copy-orders'
        )""")
    t_env.execute_sql("INSERT INTO there SELECT k, v, headers, ts FROM here").wait()


if __name__ == "__main__":
    parameters = ParameterTool.from_args(sys.argv[1:])
    main(parameters.get("servers", "localhost:9092"), parameters.get("to-servers", "localhost:9093"))
