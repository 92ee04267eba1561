"""Join orders with customers, and correct the results when a customer moves or an order comes first."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("table.exec.state.ttl", "7 d")
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, customer STRING) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE customers (name STRING, city STRING, PRIMARY KEY (name) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'customers', 'properties.bootstrap.servers' = '{servers}',
          'scan.bounded.mode' = 'latest-offset', 'key.format' = 'raw', 'value.format' = 'json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE deliveries (id BIGINT, customer STRING, city STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'deliveries', 'properties.bootstrap.servers' = '{servers}',
          'key.format' = 'json', 'value.format' = 'json'
        )""")
    t_env.execute_sql("""
        INSERT INTO deliveries
        SELECT o.id, o.customer, c.city FROM orders AS o LEFT JOIN customers AS c ON o.customer = c.name
        """).wait()


if __name__ == "__main__":
    main(ParameterTool.from_args(sys.argv[1:]).get("servers", "localhost:9092"))
