"""Steps of queries that the test driver does not compute in Python are computed by Spark, and records in their formats."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import DeserializationError
from kafkastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from kafkastream.table.udf import udf
from kafkastream.testing import JobTestDriver
from tests.differential.expressions.cases import COLUMNS, EXPRESSIONS, ROWS
from tests.differential.expressions.test_expressions_on_flink import VALUES, as_compared
from tests.differential.queries_driven import driven_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.timeout(300)

_AT_ONCE = 30
KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json'"
MINUTE = datetime.datetime.fromisoformat("2026-01-01 10:00:00")


def totals() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set_local_timezone("UTC")
    t_env.execute_sql(
        "CREATE TABLE orders (customer STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), p AS REGEXP_REPLACE(customer, 'n+', 'N'), "
        f"WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ({KAFKA}, 'topic' = 'orders', "
        "'scan.startup.mode' = 'earliest-offset')"
    )
    t_env.execute_sql(
        "CREATE TABLE totals (customer STRING, begins TIMESTAMP(3), total DECIMAL(38, 2), sent TIMESTAMP_LTZ(3)) "
        f"WITH ({KAFKA}, 'topic' = 'totals')"
    )
    t_env.create_temporary_function("twice", udf(lambda price: price * 2, result_type=DataTypes.DECIMAL(20, 2)))
    t_env.execute_sql("""
        INSERT INTO totals
        SELECT p, window_start, SUM(twice(price)), TO_TIMESTAMP_LTZ(CAST(LOG10(100) AS INT), 3)
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
        WHERE REGEXP(customer, '^[a-z]+$')
        GROUP BY p, window_start, window_end
    """)


def test_steps_and_formats(spark: SparkSession) -> None:
    with JobTestDriver.of(totals, spark=True) as driver:
        orders = driver.table("orders")
        orders.send({"customer": "ann", "price": "1.50", "ts": "2026-01-01 10:00:01"})
        driver.send("orders", b'{"customer": "ann", "price": 2, "ts": "2026-01-01 10:00:59"}')
        with driver.micro_batch():
            orders.send(
                {"customer": "Bob", "price": 9, "ts": "2026-01-01 10:01:06"}
            )  # carries time, though it is filtered
            orders.send({"customer": None, "price": 9, "ts": "2026-01-01 10:01:06"})
        sent = datetime.datetime.fromtimestamp(0.002, datetime.timezone.utc)
        assert driver.table("totals").changes == [("+I", "aN", MINUTE, Decimal("7.00"), sent)]
        (record,) = driver.topic("totals")
        assert record.value == (
            b'{"customer":"aN","begins":"2026-01-01 10:00:00","total":7,"sent":"1970-01-01 00:00:00.002Z"}'
        )
        assert driver.metrics.total("numLateRecordsDropped") == 0
        with pytest.raises(DeserializationError, match="Failed to deserialize JSON") as caught:
            driver.send("orders", b'{"customer": "ann", "price": "much"}')
        assert caught.value.where == "topic orders, partition 0, offset 1"


def test_expressions_are_those_of_flink_on_spark_as_well(spark: SparkSession) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set_local_timezone("UTC")
    t_env.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'datagen')")
    found: dict[str, tuple[str | None, ...]] = {}
    for begin in range(0, len(EXPRESSIONS), _AT_ONCE):
        expressions = EXPRESSIONS[begin : begin + _AT_ONCE]
        texts = ", ".join(f"CAST({expression} AS STRING)" for expression in expressions)
        # With a function that the driver does not compute in Python, Spark computes the whole row.
        query = f"SELECT {texts}, REGEXP_REPLACE(s, 'a', 'b') FROM t"
        columns = zip(*driven_rows(t_env, query, {"t": ROWS}, len(ROWS), spark=True), strict=True)
        found.update(zip(expressions, columns, strict=False))
    assert {name: as_compared(name, values) for name, values in found.items()} == {
        name: as_compared(name, VALUES[name]) for name in EXPRESSIONS
    }
