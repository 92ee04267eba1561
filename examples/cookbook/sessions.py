"""Group the clicks of a user into visits, which end when nothing is clicked for half an hour."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE clicks (
          `user` STRING,
          page STRING,
          ts TIMESTAMP(3),
          WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
        ) WITH (
          'connector' = 'kafka', 'topic' = 'clicks', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE visits (`user` STRING, first_click TIMESTAMP(3), last_click TIMESTAMP(3), clicks BIGINT) WITH (
          'connector' = 'kafka', 'topic' = 'visits', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO visits
        SELECT `user`, MIN(ts), MAX(ts), COUNT(*)
        FROM TABLE(SESSION(TABLE clicks PARTITION BY `user`, DESCRIPTOR(ts), INTERVAL '30' MINUTE))
        GROUP BY `user`, window_start, window_end
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
