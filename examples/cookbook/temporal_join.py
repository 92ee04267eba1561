"""Convert each order's amount with the rate that was valid at the time of the order."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, amount DECIMAL(10, 2), currency STRING, ts TIMESTAMP(3),
                             WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE rates (currency STRING, rate DECIMAL(10, 4), ts TIMESTAMP(3),
                            WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
                            PRIMARY KEY (currency) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'rates', 'properties.bootstrap.servers' = '{servers}',
          'scan.bounded.mode' = 'latest-offset', 'key.format' = 'raw', 'value.format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE converted (id BIGINT, euros DECIMAL(10, 2)) WITH (
          'connector' = 'kafka', 'topic' = 'converted', 'properties.bootstrap.servers' = '{servers}', 'format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO converted
        SELECT o.id, CAST(o.amount * r.rate AS DECIMAL(10, 2))
        FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.currency = r.currency
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
