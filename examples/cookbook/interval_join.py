"""Match each order with its payment within an hour, and report the orders that are not paid in time."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    bounded = f"""
          'connector' = 'kafka', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'"""
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
          'topic' = 'orders', {bounded}
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE payments (order_id BIGINT, paid DECIMAL(10, 2), ts TIMESTAMP(3),
                               WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
          'topic' = 'payments', {bounded}
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE checked (id BIGINT, paid DECIMAL(10, 2)) WITH (
          'connector' = 'kafka', 'topic' = 'checked', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO checked
        SELECT o.id, p.paid
        FROM orders AS o LEFT JOIN payments AS p
        ON o.id = p.order_id AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '1' HOUR
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
