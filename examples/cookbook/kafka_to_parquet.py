"""Archive a topic in Parquet files, in a directory for each day, each record exactly once."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("execution.checkpointing.dir", "file:///data/checkpoints")
    t_env.get_config().set("execution.checkpointing.interval", "10 min")
    t_env.get_config().set("pipeline.name", "archive-orders")
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, item STRING, ts TIMESTAMP(3)) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        CREATE TABLE archive (id BIGINT, item STRING, `day` STRING) PARTITIONED BY (`day`) WITH (
          'connector' = 'filesystem', 'path' = 'file:///data/archive', 'format' = 'parquet'
        )""")
    t_env.execute_sql("INSERT INTO archive SELECT id, item, DATE_FORMAT(ts, 'yyyy-MM-dd') FROM orders").wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
