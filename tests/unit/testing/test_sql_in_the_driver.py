"""Queries in the test's own process: rows in, changes, lines and elements out, and what needs Spark is refused by name."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kafkastream import StreamExecutionEnvironment, Types
from kafkastream.common import Instant, Row, RowKind
from kafkastream.errors import DefinitionError, UnsupportedFeatureError, UserFunctionError
from kafkastream.spark.sql.rows.arrow_types import arrow_type
from kafkastream.sql.plan.functions.choice_functions import CHOICES
from kafkastream.sql.types import DataType, Kind, RowField
from kafkastream.table import (
    DataTypes,
    EnvironmentSettings,
    ScalarFunction,
    Schema,
    StreamTableEnvironment,
    TableEnvironment,
)
from kafkastream.table.udf import udf
from kafkastream.testing import JobTestDriver
from kafkastream.testing.driver.sql.expressions import NOW
from kafkastream.testing.driver.sql.functions import FUNCTIONS
from tests.package import ROOT

KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json'"
ORDERS = (
    "CREATE TABLE orders (customer STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), "
    f"WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ({KAFKA}, 'topic' = 'orders', "
    "'scan.startup.mode' = 'earliest-offset')"
)
TOTALS = (
    "CREATE TABLE totals (customer STRING PRIMARY KEY NOT ENFORCED, n BIGINT, total DECIMAL(38, 2)) WITH ("
    "'connector' = 'upsert-kafka', 'topic' = 'totals', 'properties.bootstrap.servers' = 'broker:9092', "
    "'key.format' = 'json', 'value.format' = 'json')"
)
COUNT = "INSERT INTO totals SELECT customer, COUNT(*), SUM(price) FROM orders GROUP BY customer"


def environment(*statements: str, zone: str = "UTC") -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set_local_timezone(zone)
    for statement in statements:
        t_env.execute_sql(statement)
    return t_env


def program(*statements: str) -> Callable[[], object]:
    return lambda: environment(*statements)


def test_changes_of_an_upsert_table() -> None:
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT)) as driver:
        orders = driver.table("orders")
        orders.send({"customer": "ann", "price": "1.50", "ts": "2026-01-01 10:00:00"})
        orders.send(("bob", 2, datetime.fromisoformat("2026-01-01 10:00:00")))
        orders.send(Row(customer="ann", price=Decimal("3"), ts=None))
        totals = driver.table("totals")
        assert totals.changes == [
            ("+I", "ann", 1, Decimal("1.50")),
            ("+I", "bob", 1, Decimal("2.00")),
            ("+U", "ann", 2, Decimal("4.50")),
        ]
        assert totals.rows[-1] == Row.of_kind(RowKind.UPDATE_AFTER, customer="ann", n=2, total=Decimal("4.50"))


def test_a_table_is_found_by_its_whole_name_and_others_are_named() -> None:
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT)) as driver:
        driver.table("default_catalog.default_database.orders").send(("ann", 1, None))
        with pytest.raises(DefinitionError, match="no table 'order'") as caught:
            driver.table("order")
        assert caught.value.now == "There are: 'orders', 'totals'."
        with pytest.raises(DefinitionError, match="does not read the table"):
            driver.table("totals").send(("ann", 1, 2))
        with pytest.raises(DefinitionError, match="does not write the table"):
            _ = driver.table("orders").rows


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (("ann", 1), "the row has 2 values, and the table has 3 columns: customer, price, ts"),
        ({"customer": "ann", "prize": 1}, "the table has no column 'prize'"),
        ({"customer": 7}, "column 'customer' has the type STRING, and the value is 7, a int"),
        ({"price": "much"}, r"column 'price' has the type DECIMAL\(10, 2\), and the value is 'much', a str"),
        ({"price": 1e9}, r"column 'price' has the type DECIMAL\(10, 2\)"),
        ({"ts": "noon"}, r"column 'ts' has the type TIMESTAMP\(3\), and the value is 'noon', a str"),
        ({"ts": 5}, r"column 'ts' has the type TIMESTAMP\(3\), and the value is 5, a int"),
        ('{"customer": "ann"}', "is no row"),
    ],
)
def test_a_row_that_does_not_fit(row: Any, what: str) -> None:
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT)) as driver:
        with pytest.raises(DefinitionError, match=what) as caught:
            driver.table("orders").send(row)
        assert caught.value.where == "table 'orders'"
        driver.table("orders").send(("ann", 1, None))  # the job goes on
        assert len(driver.table("totals").rows) == 1


def test_kinds_that_a_table_does_not_have() -> None:
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT)) as driver:
        with pytest.raises(DefinitionError, match=r"kinds \[INSERT\], and this one is DELETE"):
            driver.table("orders").send(("ann", 1, None), kind="-D")
        with pytest.raises(DefinitionError, match="'D' is no kind of a row"):
            driver.table("orders").send(("ann", 1, None), kind="D")


def test_partitions_hold_back_the_watermark() -> None:
    windows = (
        "SELECT customer, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
        "GROUP BY customer, window_start, window_end"
    )
    with JobTestDriver.of(program(ORDERS, windows), partitions={"orders": 2}) as driver:
        orders = driver.table("orders")
        orders.send(("ann", 1, "2026-01-01 10:00:00"), partition=0)
        orders.send(("ann", 1, "2026-01-01 10:01:05"), partition=0)
        assert driver.collected == []
        orders.set_watermark(1_767_261_660_000, partition=1)
        assert [tuple(row) for row in driver.collected] == [("ann", 1)]
        with pytest.raises(DefinitionError, match="does not read partition 2 of 'orders'"):
            orders.send(("ann", 1, None), partition=2)
        orders.finish()
        assert [tuple(row) for row in driver.collected] == [("ann", 1), ("ann", 1)]
        with pytest.raises(DefinitionError, match="the input of the table has ended"):
            orders.send(("ann", 1, None))


def test_changes_and_tombstones_are_input() -> None:
    changed = ORDERS.replace("'json'", "'debezium-json'")
    with JobTestDriver.of(program(changed, TOTALS, COUNT)) as driver:
        orders = driver.table("orders")
        orders.send(("ann", 1, None))
        orders.send(("ann", 1, None), kind="-U")
        orders.send(("ann", 5, None), kind=RowKind.UPDATE_AFTER)
        assert driver.table("totals").changes == [
            ("+I", "ann", 1, Decimal("1.00")),
            ("-D", "ann", 1, Decimal("1.00")),
            ("+I", "ann", 1, Decimal("5.00")),
        ]
    prices = TOTALS.replace("TABLE totals", "TABLE prices")
    with JobTestDriver.of(program(prices, "SELECT customer, n FROM prices")) as driver:
        driver.table("prices").send(("ann", 1, 2))
        driver.table("prices").send({"customer": "ann", "n": 3})
        driver.table("prices").send({"customer": "ann"}, kind="-D")
        changes = [(str(row.get_row_kind()), *row) for row in driver.collected]
        assert changes == [("+I", "ann", 1), ("-U", "ann", 1), ("+U", "ann", 3), ("-D", "ann", 3)]


def test_columns_of_every_type_come_back() -> None:
    columns = {
        "i": ("INT", 7),
        "d": ("DOUBLE", 1.5),
        "b": ("BOOLEAN", True),
        "y": ("BYTES", b"\x00a"),
        "da": ("DATE", date(2024, 2, 29)),
        "ti": ("TIME(0)", time(12, 30)),
        "ts": ("TIMESTAMP(3)", datetime.fromisoformat("2024-02-29 12:30:00.123")),
        "lt": ("TIMESTAMP_LTZ(3)", datetime(2024, 2, 29, 12, 30, tzinfo=timezone.utc)),
        "xs": ("ARRAY<INT>", [1, None]),
        "m": ("MAP<STRING, INT>", {"a": 1}),
        "r": ("ROW<x INT, y STRING>", Row(x=1, y="z")),
    }
    declared = ", ".join(f"{name} {type_}" for name, (type_, _) in columns.items())
    table = f"CREATE TABLE t ({declared}) WITH ('connector' = 'datagen')"
    with JobTestDriver.of(program(table, "SELECT * FROM t")) as driver:
        driver.table("t").send({name: value for name, (_, value) in columns.items()})
        driver.table("t").send({"da": "2024-02-29", "ti": "12:30:00", "lt": Instant(0, 0), "r": {"x": 1, "y": "z"}})
        driver.table("t").send({})
        whole, texts, nothing = driver.collected
        assert whole.as_dict() == {name: value for name, (_, value) in columns.items()}
        assert (texts["da"], texts["ti"], texts["lt"]) == (
            date(2024, 2, 29),
            time(12, 30),
            datetime(1970, 1, 1, tzinfo=timezone.utc),
        )
        assert texts["r"] == Row(x=1, y="z")
        assert set(nothing) == {None}


def test_metadata_columns_have_the_time_of_the_driver() -> None:
    table = ORDERS.replace(
        "ts TIMESTAMP(3)", "p INT METADATA FROM 'partition', ts TIMESTAMP(3) METADATA FROM 'timestamp'"
    )
    with JobTestDriver.of(program(table, "SELECT customer, p, ts FROM orders")) as driver:
        driver.table("orders").send(("ann", 1))
        driver.advance(1_000)
        driver.table("orders").send({"customer": "bob", "ts": "2024-05-01 10:00:00"})
        assert [tuple(row) for row in driver.collected] == [
            ("ann", 0, datetime.fromisoformat("2026-01-01")),
            ("bob", 0, datetime.fromisoformat("2024-05-01 10:00:00")),
        ]


def test_processing_time_stands_still() -> None:
    query = "SELECT customer, CURRENT_TIMESTAMP, LOCALTIMESTAMP, CAST(PROCTIME() AS STRING) FROM orders"
    with JobTestDriver.of(program(ORDERS, query)) as driver:
        driver.advance(1_500)
        driver.table("orders").send(("ann", 1, None))
        at = datetime.fromisoformat("2026-01-01 00:00:01.500")
        assert [tuple(row) for row in driver.collected] == [
            ("ann", at.replace(tzinfo=timezone.utc), at, "2026-01-01 00:00:01.500")
        ]


def test_state_expires_as_the_clock_advances() -> None:
    def counted() -> None:
        t_env = environment(ORDERS)
        t_env.get_config().set("table.exec.state.ttl", "1 min")
        t_env.execute_sql("SELECT customer, COUNT(*) FROM orders GROUP BY customer").print()

    with JobTestDriver.of(counted) as driver:
        driver.table("orders").send(("ann", 1, None))
        driver.advance(61_000)
        driver.table("orders").send(("ann", 1, None))
        assert [(str(row.get_row_kind()), *row) for row in driver.collected] == [("+I", "ann", 1), ("+I", "ann", 1)]


def test_a_snapshot_has_the_state_of_queries() -> None:
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT)) as driver:
        driver.table("orders").send(("ann", 1, None))
        snapshot = driver.snapshot()
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT), restored=snapshot) as driver:
        driver.table("orders").send(("ann", 2, None))
        assert driver.table("totals").changes == [("+U", "ann", 2, Decimal("3.00"))]


def test_statement_sets_and_printed_rows() -> None:
    def several() -> None:
        t_env = environment(ORDERS, TOTALS, "CREATE TABLE out_p (s STRING, f FLOAT) WITH ('connector' = 'print')")
        statements = t_env.create_statement_set()
        statements.add_insert_sql(COUNT)
        statements.add_insert_sql("INSERT INTO out_p SELECT customer || '!', CAST(price AS FLOAT) FROM orders")
        statements.execute()

    with JobTestDriver.of(several) as driver:
        driver.table("orders").send(("ann", "1.10", None))
        assert driver.printed == ["+I[ann!, 1.1]"]
        assert driver.table("totals").changes == [("+I", "ann", 1, Decimal("1.10"))]
        with pytest.raises(DefinitionError, match="the job prints the rows"):
            _ = driver.table("out_p").rows


def test_streams_and_tables_in_one_program() -> None:
    def mixed() -> None:
        env = StreamExecutionEnvironment.get_execution_environment()
        t_env = StreamTableEnvironment.create(env)
        words = env.from_collection([("a", 1), ("b", 2), ("a", 3)], Types.TUPLE([Types.STRING(), Types.INT()]))
        t_env.create_temporary_view("words", t_env.from_data_stream(words).alias("w", "n"))
        totals = t_env.sql_query("SELECT w, SUM(n) AS n FROM words GROUP BY w")
        changes = t_env.to_changelog_stream(totals)
        changes.map(lambda row: f"{row.get_row_kind()} {row.w} {row.n}", Types.STRING()).print()
        env.execute("mixed")

    with JobTestDriver.of(mixed) as driver:
        assert driver.printed == ["+I a 1", "+I b 2", "-U a 1", "+U a 4"]


def test_event_time_goes_through_streams() -> None:
    def timed() -> None:
        env = StreamExecutionEnvironment.get_execution_environment()
        t_env = StreamTableEnvironment.create(env)
        t_env.execute_sql(ORDERS)
        stream = t_env.to_data_stream(t_env.sql_query("SELECT customer, ts FROM orders WHERE price > 1"))
        again = t_env.from_data_stream(
            stream,
            Schema.new_builder()
            .column("customer", "STRING")
            .column_by_metadata("at", "TIMESTAMP_LTZ(3)", "rowtime")
            .watermark("at", "SOURCE_WATERMARK()")
            .build(),
        )
        t_env.create_temporary_view("again", again)
        counted = t_env.sql_query(
            "SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE again, DESCRIPTOR(`at`), INTERVAL '1' MINUTE)) "
            "GROUP BY window_start, window_end"
        )
        t_env.to_data_stream(counted).map(lambda row: row.n, Types.LONG()).print()
        env.execute("timed")

    with JobTestDriver.of(timed) as driver:
        for second in ("00", "10", "59"):
            driver.table("orders").send(("ann", 2, f"2026-01-01 10:00:{second}"))
        assert driver.printed == []
        driver.table("orders").send(("ann", 1, "2026-01-01 10:01:06"))  # carries time, though it is filtered
        assert driver.printed == ["3"]


class Halves(ScalarFunction):
    def open(self, function_context: Any) -> None:
        self.unit = 2

    def eval(self, number: int | None) -> float | None:
        return None if number is None else number / self.unit


def test_functions_of_python_are_called() -> None:
    def called(function: Any) -> Callable[[], object]:
        def run() -> None:
            t_env = environment("CREATE TABLE t (n BIGINT) WITH ('connector' = 'datagen')")
            t_env.create_temporary_function("f", udf(function, result_type=DataTypes.DOUBLE()))
            t_env.execute_sql("SELECT f(n) + 1 FROM t WHERE n IS NULL OR f(n) > 1").print()

        return run

    with JobTestDriver.of(called(Halves())) as driver:
        for number in (1, 5, None):
            driver.table("t").send((number,))
        assert [tuple(row) for row in driver.collected] == [(3.5,), (None,)]
    with JobTestDriver.of(called(lambda number: 1 / number)) as driver:
        with pytest.raises(UserFunctionError, match="ZeroDivisionError"):
            driver.table("t").send((0,))
        with pytest.raises(DefinitionError, match="cannot be used any more"):
            driver.table("t").send((1,))


def test_what_needs_spark_is_named_with_its_query() -> None:
    query = "INSERT INTO totals SELECT REGEXP_REPLACE(customer, 'a', 'b'), CAST(LOG10(2) AS INT), price FROM orders WHERE PI() > 3"
    with pytest.raises(UnsupportedFeatureError) as caught:
        JobTestDriver.of(program(ORDERS, TOTALS, query))
    needed = "the test driver does not compute REGEXP_REPLACE, LOG10, PI in Python"
    assert caught.value.what.startswith(needed)
    assert caught.value.where == "query of INSERT INTO default_catalog.default_database.totals"
    assert "spark=True" in caught.value.now


def test_what_a_condition_decides_is_not_computed() -> None:
    query = "SELECT customer FROM orders WHERE price <> 0 AND 10 / price > 1 OR price = 0 OR 1 / (price - price) > 1"
    with JobTestDriver.of(program(ORDERS, query)) as driver:
        driver.table("orders").send(("ann", 0, None))
        driver.table("orders").send(("bob", 5, None))
        assert [tuple(row) for row in driver.collected] == [("ann",), ("bob",)]
        with pytest.raises(UserFunctionError, match="/ by zero"):
            driver.table("orders").send(("carl", 50, None))


def test_texts_that_may_be_numbers_are_refused() -> None:
    with JobTestDriver.of(program(ORDERS, "SELECT TRY_CAST(customer AS DOUBLE) FROM orders")) as driver:
        for text in ("1.5", " 2 ", "x", ""):
            driver.table("orders").send((text, 0, None))
        assert [tuple(row) for row in driver.collected] == [(1.5,), (2.0,), (None,), (None,)]
        with pytest.raises(UnsupportedFeatureError, match="the cast of 'NaN' to DOUBLE"):
            driver.table("orders").send(("NaN", 0, None))


def test_an_error_names_the_row() -> None:
    with JobTestDriver.of(program(ORDERS, "SELECT customer, 10 / CAST(price AS INT) FROM orders")) as driver:
        driver.table("orders").send(("ann", 5, None))
        with pytest.raises(UserFunctionError, match="a query failed: / by zero") as caught:
            driver.table("orders").send(("bob", "0.50", None))
        assert caught.value.where == "row ('bob', Decimal('0.50'), None)"
        with pytest.raises(DefinitionError, match="cannot be used any more"):
            driver.table("orders").send(("ann", 5, None))
    with (
        JobTestDriver.of(program(ORDERS, "SELECT CAST(customer AS INT) FROM orders")) as driver,
        pytest.raises(UserFunctionError, match="'ann' cannot be cast to INT") as caught,
    ):
        driver.table("orders").send(("ann", 5, None))
    assert caught.value.where == "row ('ann', Decimal('5.00'), None)"


def test_scripts_of_sql_and_several_subtasks(tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(f"SET 'table.local-time-zone' = 'UTC';\n{ORDERS};\n{TOTALS};\n{COUNT};")
    partitions = {"orders": 3}
    with JobTestDriver.of(tmp_path / "job.sql", parallelism=3, partitions=partitions) as driver:
        with driver.micro_batch():
            for number in range(30):
                driver.table("orders").send((f"customer {number % 7}", 1, None), partition=number % 3)
        last = {change[1]: change[2] for change in driver.table("totals").changes}
        assert last == {f"customer {number}": 5 if number < 2 else 4 for number in range(7)}


def test_idle_partitions_hold_nothing_back() -> None:
    def idle() -> None:
        t_env = environment(ORDERS)
        t_env.get_config().set("table.exec.source.idle-timeout", "10 s")
        t_env.execute_sql(
            "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
            "GROUP BY window_start, window_end"
        ).print()

    with JobTestDriver.of(idle, partitions={"orders": 2}) as driver:
        driver.table("orders").send(("ann", 1, "2026-01-01 10:00:00"))
        driver.table("orders").send(("ann", 1, "2026-01-01 10:01:05"))
        assert driver.collected == []
        driver.advance(9_000)
        driver.table("orders").send(("ann", 1, "2026-01-01 10:01:05"))
        driver.advance(2_000)
        assert [tuple(row) for row in driver.collected] == [(1,)]


def test_letters_whose_other_case_depends_on_unicode_are_refused() -> None:
    with JobTestDriver.of(program(ORDERS, "SELECT UPPER(customer) FROM orders")) as driver:
        driver.table("orders").send(("ann", 1, None))
        assert [tuple(row) for row in driver.collected] == [("ANN",)]
        with pytest.raises(UnsupportedFeatureError, match="UPPER of 'grün'"):
            driver.table("orders").send(("grün", 1, None))


def test_records_in_a_tables_format_need_spark() -> None:
    with JobTestDriver.of(program(ORDERS, TOTALS, COUNT)) as driver:
        with pytest.raises(UnsupportedFeatureError, match="writes the formats of tables with Spark alone"):
            driver.topic("totals")
        with pytest.raises(DefinitionError, match="the source is a table of SQL"):
            driver.source("orders").send_element("x")
        with pytest.raises(UnsupportedFeatureError, match="reads the formats of tables with Spark alone"):
            driver.send("orders", b'{"customer": "ann"}')


def test_null_in_a_not_null_column_fails_or_drops_the_row() -> None:
    strict = TOTALS.replace("n BIGINT", "n BIGINT NOT NULL")
    insert = "INSERT INTO totals SELECT customer, CAST(price AS BIGINT), price FROM orders"

    def dropping() -> None:
        t_env = environment(ORDERS, strict)
        t_env.get_config().set("table.exec.sink.not-null-enforcer", "DROP")
        t_env.execute_sql(insert)

    with JobTestDriver.of(dropping) as driver:
        driver.table("orders").send(("ann", None, None))
        driver.table("orders").send(("ann", 1, None))
        assert [change[1:3] for change in driver.table("totals").changes] == [("ann", 1)]
    with (
        JobTestDriver.of(program(ORDERS, strict, insert)) as driver,
        pytest.raises(UserFunctionError, match="Column 'n' is NOT NULL"),
    ):
        driver.table("orders").send(("ann", None, None))


def test_a_lookup_join_has_the_rows_that_the_test_has_sent() -> None:
    names = (
        "CREATE TABLE names (customer STRING, name STRING) WITH ('connector' = 'filesystem', 'path' = '/nowhere', "
        "'format' = 'json')"
    )
    orders = ORDERS.replace("ts TIMESTAMP(3)", "pt AS PROCTIME(), ts TIMESTAMP(3)")
    query = (
        "SELECT o.customer, n.name FROM orders AS o LEFT JOIN names FOR SYSTEM_TIME AS OF o.pt AS n "
        "ON o.customer = n.customer"
    )
    with JobTestDriver.of(program(orders, names, query)) as driver:
        driver.table("names").send(("ann", "Ann"))
        driver.table("orders").send(("ann", 1, None))
        driver.table("orders").send(("bob", 1, None))
        assert [tuple(row) for row in driver.collected] == [("ann", "Ann"), ("bob", None)]


def test_arrow_types_are_those_of_spark() -> None:
    from kafkastream.spark.internals.python import arrow_type_of
    from kafkastream.spark.sql.formats.spark_types import spark_type

    nested = {Kind.ARRAY, Kind.MAP, Kind.MULTISET, Kind.ROW, Kind.INTERVAL_DAY_SECOND, Kind.INTERVAL_YEAR_MONTH}
    plain = [DataType.of(kind) for kind in Kind if kind not in nested]
    number = DataType.of(Kind.INT)
    types = [
        *plain,
        DataType.of(Kind.DECIMAL, 38, 18),
        *(DataType.of(Kind.ARRAY, parts=(type_,)) for type_ in plain),
        *(DataType.of(Kind.MAP, parts=(number, type_)) for type_ in plain),
        DataType.of(Kind.MULTISET, parts=(number,)),
        DataType.of(Kind.ROW, fields=tuple(RowField(f"f{place}", type_) for place, type_ in enumerate(plain))),
    ]
    wrong = [str(type_) for type_ in types if arrow_type(type_) != arrow_type_of(spark_type(type_))]
    assert not wrong
    assert arrow_type(DataType.of(Kind.TIMESTAMP_LTZ), "Asia/Tokyo") == pa.timestamp("us", "Asia/Tokyo")


def test_the_page_lists_the_functions() -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith("- `ABS`")]
    listed = re.findall(r"`(\w+)`", line.partition("; and ")[0])
    names = {name.split()[0] for name in (*FUNCTIONS, *NOW, *CHOICES, "MOD", "ABS", "LOCALTIMESTAMP", "CURRENT_DATE")}
    assert listed == sorted(name for name in names - {"LIKE", "NOT"} if name.isidentifier())


def test_queries_import_no_spark() -> None:
    code = """
import sys
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import JobTestDriver

def program():
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE t (n INT) WITH ('connector' = 'datagen')")
    t_env.execute_sql("SELECT n, COUNT(*) FROM t GROUP BY n").print()

with JobTestDriver.of(program) as driver:
    driver.table("t").send((1,))
    print(len(driver.collected), "py4j" in sys.modules, "pyspark" in sys.modules)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout
    assert out.split() == ["1", "False", "False"]
