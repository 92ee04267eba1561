"""Correct the dead letters of a topic, and write them to the topic again: once each, however often this is run."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool

BYTES = "'key.format' = 'raw', 'key.fields' = 'k', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY'"


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("execution.checkpointing.dir", "file:///data/checkpoints")
    t_env.get_config().set("pipeline.name", "replay-dead-orders")
    t_env.execute_sql(f"""
        CREATE TABLE letters (k BYTES, v STRING, headers MAP<STRING, BYTES> METADATA,
                              ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH (
          'connector' = 'kafka', 'topic' = 'dead-orders', 'properties.bootstrap.servers' = '{servers}', {BYTES},
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE orders (k BYTES, v STRING, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp') WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}', {BYTES},
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'replay-dead-orders'
        )""")
    t_env.execute_sql("""
        INSERT INTO orders
        SELECT k, REPLACE(v, '''', '"'), ts FROM letters
        WHERE CAST(headers['kafkastream.error.operator'] AS STRING) = 'orders'
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
