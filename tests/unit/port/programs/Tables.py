"""Ported by kafkastream port from Tables.java."""

from __future__ import annotations

import attrs
from kafkastream.common import Row, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.table import EnvironmentSettings, StreamTableEnvironment, TableEnvironment
from kafkastream.table.expressions import col, lit
from kafkastream.util.java_values import java_text

ORDERS = """\
CREATE TABLE orders (
  id BIGINT,
  amount DOUBLE
) WITH ('connector' = 'datagen', 'number-of-rows' = '10')"""


@attrs.define(eq=False)
class Price:
    item: str = attrs.field(default=None)
    cents: float = 0.0


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
    prices = env.from_elements(Price("tea", 2.5), Price("milk", 0.5))
    table = streams.from_data_stream(
        prices.map(
            lambda value: Row(value.cents, value.item),
            output_type=Types.ROW_NAMED(["cents", "item"], [Types.DOUBLE(), Types.STRING()]),
        ),
        col("item"),
        col("cents").alias("cost"),
    )
    counted = (
        table.filter((col("cost") > lit(1.0)) & col("item").is_not_null)
        .group_by(col("item"))
        .select(col("item"), col("cost").sum.alias("total"))
    )
    streams.to_changelog_stream(counted).map(java_text).print()
    env.execute()


if __name__ == "__main__":
    main()
