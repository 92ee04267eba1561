"""Keep a table of PostgreSQL equal to a table of another database, whose changes Debezium writes to a topic."""

import os
import sys

from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.util.parameter_tool import ParameterTool


def main(servers: str, url: str, user: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("execution.checkpointing.dir", "file:///data/checkpoints")
    t_env.get_config().set("pipeline.name", "cdc-to-postgres")
    t_env.execute_sql(f"""
        CREATE TABLE changes (id BIGINT, item STRING, amount DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED) WITH (
          'connector' = 'kafka', 'topic' = 'shop.orders', 'properties.bootstrap.servers' = '{servers}',
          'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'debezium-json'
        )""")
    t_env.execute_sql(f"""
        CREATE TABLE orders (id BIGINT, item STRING, amount DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED) WITH (
          'connector' = 'jdbc', 'url' = '{url}', 'table-name' = 'orders',
          'username' = '{user}', 'password' = '{os.environ.get("POSTGRES_PASSWORD", "")}'
        )""")
    t_env.execute_sql("INSERT INTO orders SELECT id, item, amount FROM changes").wait()


if __name__ == "__main__":
    parameters = ParameterTool.from_args(sys.argv[1:])
    main(
        parameters.get("servers", "localhost:9092"),
        parameters.get("url", "jdbc:postgresql://localhost:5432/shop"),
        parameters.get("user", "postgres"),
    )
