"""Count and add up the orders of each customer in each minute of event time."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE orders (
          customer STRING,
          amount DECIMAL(10, 2),
          ts TIMESTAMP(3),
          WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
        ) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE counts (customer STRING, window_start TIMESTAMP(3), orders BIGINT, total DECIMAL(38, 2)) WITH (
          'connector' = 'kafka', 'topic' = 'counts', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO counts
        SELECT customer, window_start, COUNT(*), SUM(amount)
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
        GROUP BY customer, window_start, window_end
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
