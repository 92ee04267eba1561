"""Ported by kafkastream port from Tables.java."""

from __future__ import annotations

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.table import EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from kafkastream.util.java_values import java_text

ORDERS = """\
CREATE TABLE orders (
  id BIGINT,
  amount DOUBLE
) WITH ('connector' = 'datagen', 'number-of-rows' = '10')"""


def main() -> None:
    table_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table_env.get_config().set("table.local-time-zone", "UTC")
    table_env.execute_sql(ORDERS)
    table_env.execute_sql("""\
CREATE TABLE totals (
  amount DOUBLE
) WITH ('connector' = 'print')
""")
    statements = table_env.create_statement_set()
    statements.add_insert_sql("INSERT INTO totals SELECT SUM(amount) FROM orders")
    statements.execute()
    env = StreamExecutionEnvironment.get_execution_environment()
    streams = StreamTableEnvironment.create(env)
    large = streams.sql_query("SELECT 1 AS id, 'a' AS name")
    rows = streams.to_data_stream(large)
    rows.map(lambda row: f"{java_text(row[0])}:{java_text(row['name'])}").print()
    env.execute()


if __name__ == "__main__":
    main()
