"""Read Avro records with the schemas of a registry, and write those of large orders under a schema of their own."""

import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str, registry: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT NOT NULL, item STRING, amount DOUBLE) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
          'format' = 'avro-confluent', 'avro-confluent.url' = '{registry}'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE large_orders (id BIGINT NOT NULL, item STRING) WITH (
          'connector' = 'kafka', 'topic' = 'large-orders', 'properties.bootstrap.servers' = '{servers}',
          'format' = 'avro-confluent', 'avro-confluent.url' = '{registry}'
        )""")
    t_env.execute_sql("INSERT INTO large_orders SELECT id, item FROM orders WHERE amount >= 100").wait()


if __name__ == "__main__":
    parameters = ParameterTool.from_args(sys.argv[1:])
    main(parameters.get("servers", "localhost:9092"), parameters.get("registry", "http://localhost:8081"))
