"""Rank the three best-selling items of each minute."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE sales (item STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
          'connector' = 'kafka', 'topic' = 'sales', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE top_items (window_start TIMESTAMP(3), place BIGINT, item STRING, sold BIGINT) WITH (
          'connector' = 'kafka', 'topic' = 'top-items', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO top_items
        SELECT window_start, place, item, sold FROM (
          SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY sold DESC, item) AS place
          FROM (
            SELECT window_start, window_end, item, COUNT(*) AS sold
            FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
            GROUP BY window_start, window_end, item
          )
        ) WHERE place <= 3
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
