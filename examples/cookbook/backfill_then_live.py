"""Count orders per customer over an archive in files and then a topic, as with Flink's HybridSource."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool

CUTOVER = "TIMESTAMP '2024-05-01 00:00:00'"


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("""
        CREATE TABLE archive (customer STRING, ts TIMESTAMP(3)) WITH (
          'connector' = 'filesystem', 'path' = 'file:///data/archive', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE orders (customer STRING, ts TIMESTAMP(3)) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE counts (customer STRING, orders BIGINT, PRIMARY KEY (customer) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'counts', 'properties.bootstrap.servers' = '{servers}',
          'key.format' = 'raw', 'value.format' = 'json'
        )""")
    t_env.execute_sql(f"""
        INSERT INTO counts
        SELECT customer, COUNT(*) FROM (
          SELECT customer FROM archive WHERE ts < {CUTOVER}
          UNION ALL
          SELECT customer FROM orders WHERE ts >= {CUTOVER}
        ) GROUP BY customer
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
