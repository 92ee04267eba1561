"""User-defined functions in jobs: their arguments, their results, and how they fail."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from kafkastream.errors import DefinitionError, UserFunctionError
from kafkastream.model.common.row import Row
from kafkastream.sql.types import DataType
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table import TableEnvironment
from kafkastream.table.udf import AggregateFunction, FunctionContext, ScalarFunction, TableFunction, udf, udtf
from kafkastream.testing import KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic

VALUES = {
    "CAST(7 AS TINYINT)": 7,
    "CAST(-7 AS BIGINT)": -7,
    "CAST(0.5 AS FLOAT)": 0.5,
    "CAST(12.3 AS DECIMAL(10, 2))": Decimal("12.30"),
    "'é'": "é",
    "CAST('ab' AS BYTES)": b"ab",
    "TRUE": True,
    "DATE '2024-05-01'": dt.date(2024, 5, 1),
    "TIME '10:00:01'": dt.time(10, 0, 1),
    "TIMESTAMP '2024-05-01 10:00:00.123'": dt.datetime.fromisoformat("2024-05-01T10:00:00.123"),
    "TO_TIMESTAMP_LTZ(1714557600123, 3)": dt.datetime.fromisoformat("2024-05-01T10:00:00.123+00:00"),
    "ARRAY[1, CAST(NULL AS INT)]": [1, None],
    "MAP['a', 1]": {"a": 1},
    "CAST(ROW(1, 'x') AS ROW<n INT, s STRING>)": Row(n=1, s="x"),
    "CAST(NULL AS BIGINT)": None,
}
"""What a function is given for an expression, and gives back."""

SHIPPED = """
from kafkastream.table.udf import udf

@udf(result_type="TIMESTAMP(3)")
def parsed(text):
    import datetime
    return datetime.datetime.fromisoformat(text)
"""


class Counting(ScalarFunction):
    """Tells how often it was opened, and its calls since."""

    def open(self, function_context: FunctionContext) -> None:
        self.name = function_context.get_job_parameter("name", "nobody")
        self.opened = getattr(self, "opened", 0) + 1
        self.calls = 0

    def eval(self, *args: Any) -> str:
        self.calls += 1
        return f"{self.name} {self.opened} {self.calls}"


class Closing(Counting):
    """The same, closed behind each task; the file is then there."""

    def __init__(self, closed: Path) -> None:
        self.closed = closed

    def close(self) -> None:
        self.closed.touch()


def rows(t_env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    with t_env.execute_sql(query).collect() as found:
        return [tuple(row) for row in found]


def echo(type_: DataType) -> UserFunction:
    """A function that gives back what it is given, if that is what is expected."""

    def same(value: Any, expected: str) -> Any:
        given = value.astimezone(dt.timezone.utc) if isinstance(value, dt.datetime) and value.tzinfo else value
        assert (repr(given), type(value).__name__) == tuple(expected.split(" of ")), (given, expected)
        return value

    return udf(same, result_type=type_)


def collected(value: Any) -> Any:
    """A value as ``collect`` has it: what has parts is plain."""
    match value:
        case dict() if "n" not in value:
            return list(value.items())
        case Row():
            return value.as_dict()
        case dt.datetime() if value.tzinfo is not None:
            return value.astimezone(dt.timezone.utc)
        case _:
            return value


def test_values_of_all_types_go_through_functions(t_env: TableEnvironment) -> None:
    t_env.get_config().set_local_timezone("Europe/Berlin")
    types = t_env.sql_query(f"SELECT {', '.join(VALUES)}").get_schema().get_field_data_types()
    calls = []
    for number, (text, type_, value) in enumerate(zip(VALUES, types, VALUES.values(), strict=True)):
        t_env.create_temporary_function(f"same{number}", echo(type_))
        shown = f"{value!r} of {type(value).__name__}".replace("'", "''")
        calls.append(f"same{number}({text}, '{shown}')")
    (given,) = rows(t_env, f"SELECT {', '.join(calls)}")
    assert list(map(collected, given)) == list(map(collected, VALUES.values()))


def test_functions_of_all_kinds_in_one_query(t_env: TableEnvironment, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    t_env.get_config().set("pipeline.global-job-parameters", "name:ann")

    def numbered(_: Any) -> list[int]:
        import random

        return [random.randrange(10**9)]

    functions = {
        "pair": udf(lambda n: (n, str(n)), result_type="ROW<n INT, s STRING>"),
        "twice": udf(lambda n: n + n, ["BIGINT"], "BIGINT"),
        "shout": udf(lambda s: s.str.upper() + "!", result_type="STRING", func_type="pandas"),
        "drawn": udf(numbered, result_type="ARRAY<BIGINT>", deterministic=False),
        "nothing": udf(lambda: None, result_type="STRING"),
        "counted": udf(Counting(), result_type="STRING"),
        "closing": udf(Closing(closed), result_type="STRING"),
        "even": udf(lambda n: n % 2 == 0, result_type="BOOLEAN"),
    }
    for name, function in functions.items():
        t_env.create_temporary_function(name, function)
    t_env.create_temporary_system_function("lower", udf(lambda s: f"<{s}>", result_type="STRING"))
    query = """
        SELECT id, pair(id).s || pair(id + 1).s, twice(twice(id)), shout(name), nothing(), lower(name),
          counted(id), closing(id), CARDINALITY(d) = 1 AND d[1] = d[1] AND d[1] - d[1] = 0
        FROM (SELECT *, drawn(id) AS d FROM (VALUES (1, 'a'), (2, 'b'), (4, CAST(NULL AS STRING))) AS t (id, name)) AS u
        WHERE even(id) AND id > 0
    """
    assert rows(t_env, query) == [
        (2, "23", 8, "B!", None, "<b>", "ann 1 1", "ann 1 1", True),
        (4, "45", 16, None, None, "<None>", "ann 1 2", "ann 1 2", True),
    ]
    assert closed.exists()
    assert "Calc(select=[twice(cast(id as bigint)) AS EXPR$0], where=[even(id)])" in t_env.explain_sql(
        "SELECT twice(id) FROM (VALUES (1)) AS t (id) WHERE even(id)"
    )


def test_behind_a_keyed_aggregation_on_kafka(
    t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    t_env.get_config().set("parallelism.default", "1")
    (tmp_path / "shipped_parser.py").write_text(SHIPPED, encoding="utf-8")
    t_env.add_python_file(str(tmp_path / "shipped_parser.py"))
    t_env.execute_sql("CREATE FUNCTION parsed AS 'shipped_parser.parsed' LANGUAGE PYTHON")

    def only_many(count: int) -> str:
        if count is None or count < 2:
            raise ValueError(count)
        return f"{count} orders"

    t_env.create_temporary_function("only_many", udf(only_many, result_type="STRING"))
    t_env.create_temporary_function("size_of", udf(lambda n: "large" if n > 15 else "small", result_type="STRING"))
    topic = new_topic()
    t_env.execute_sql(
        "CREATE TABLE orders ("
        "id BIGINT, amount INT, sent STRING, unread AS only_many(id), ts AS parsed(sent), WATERMARK FOR ts AS ts) WITH ("
        f"'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}', "
        "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json')"
    )
    minutes = ("10:00:01", "10:00:30", "10:01:10", "10:02:00")
    kafka.produce(
        topic,
        [
            f'{{"id": {order}, "amount": {order * 10}, "sent": "2024-05-01T{minute}"}}'
            for order, minute in enumerate(minutes, start=1)
        ],
    )
    query = """
        SELECT size, window_start, only_many(n), size_of(n)
        FROM (
          SELECT size_of(amount) AS size, window_start, COUNT(*) AS n
          FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '3' MINUTE))
          WHERE size_of(amount) <> 'medium'
          GROUP BY size_of(amount), window_start, window_end
        ) AS counts
        WHERE n > 1
    """
    start = dt.datetime.fromisoformat("2024-05-01T10:00:00")
    assert rows(t_env, query) == [("large", start, "3 orders", "small")]
    with pytest.raises(UserFunctionError) as caught:
        rows(t_env, "SELECT only_many(id) FROM orders")
    assert caught.value.what == "function 'only_many' raised ValueError: 1"
    assert caught.value.where.endswith("arguments 1")
    assert "raise ValueError(count)" in caught.value.now


class Spread(AggregateFunction):
    """Difference of the greatest and the least number."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], *args: int) -> None:
        if args[0] == 666:
            raise ValueError("the beast")
        accumulator.append(args[0])

    def get_value(self, accumulator: list[int]) -> int:
        return max(accumulator) - min(accumulator)

    def get_result_type(self) -> str:
        return "INT"

    def get_accumulator_type(self) -> str:
        return "ARRAY<INT>"


class Splitting(TableFunction):
    """Parts of a text, closed behind each task."""

    def __init__(self, closed: Path) -> None:
        self.closed = closed

    def open(self, function_context: FunctionContext) -> None:
        self.separator = function_context.get_job_parameter("separator", " ")

    def eval(self, *args: str | None) -> Iterator[tuple[str, int]]:
        text = args[0]
        if text == "wrong":
            yield ("wrong", "not a number")  # type: ignore[misc] # as a program may do
        for part in text.split(self.separator) if text else ():
            yield part, len(part)

    def close(self) -> None:
        self.closed.touch()


def test_table_and_aggregate_functions(t_env: TableEnvironment, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    t_env.get_config().set("pipeline.global-job-parameters", "separator:-")
    t_env.create_temporary_function("divide", udtf(Splitting(closed), result_types=["STRING", "INT"]))
    t_env.create_temporary_function("spread", Spread())
    t_env.execute_sql(
        "CREATE VIEW t AS SELECT * FROM (VALUES (1, 'a-bb'), (2, CAST(NULL AS STRING)), (3, 'ccc'), (4, 'a')) AS v (id, s)"
    )
    joined = "SELECT id, part, n FROM t LEFT JOIN LATERAL TABLE(divide(s)) AS p (part, n) ON TRUE WHERE id < 4"
    assert sorted(rows(t_env, joined)) == [(1, "a", 1), (1, "bb", 2), (2, None, None), (3, "ccc", 3)]
    assert closed.exists()
    grouped = "SELECT part, spread(id), spread(n) FROM t, LATERAL TABLE(divide(s)) AS p (part, n) GROUP BY part"
    assert {("a", 3, 0), ("bb", 0, 0), ("ccc", 0, 0)} <= set(rows(t_env, grouped))
    with pytest.raises(UserFunctionError) as caught:
        rows(t_env, "SELECT part FROM (VALUES ('wrong')) AS v (s), LATERAL TABLE(divide(s)) AS p (part, n)")
    assert (
        "function 'divide' returned ('wrong', 'not a number'), a tuple, which is not of type ROW<" in caught.value.what
    )
    with pytest.raises(UserFunctionError) as caught:
        rows(t_env, "SELECT k, spread(n) FROM (VALUES ('a', 1), ('b', 666)) AS v (k, n) GROUP BY k")
    assert caught.value.what == "accumulate of function 'spread' raised ValueError: the beast"
    assert "arguments 666; key 'b'; row (0, 'b', 666)" in caught.value.where
    assert 'raise ValueError("the beast")' in caught.value.now


def test_a_function_that_cannot_be_sent(t_env: TableEnvironment) -> None:
    t_env.create_temporary_function("locked", udf(threading.Lock().acquire, result_type="BOOLEAN"))
    with pytest.raises(DefinitionError, match="the function 'locked' cannot be sent to Spark's workers"):
        rows(t_env, "SELECT locked()")


def test_functions_are_called_for_rows_only_which_messages_and_deletions_are_not(
    t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic
) -> None:
    t_env.create_temporary_function("shout", udf(lambda s: s.upper(), result_type="STRING"))
    source, target = new_topic(), new_topic()
    kafka.produce(source, [Record('{"n":"a"}', "1"), Record('{"n":"b"}', "2"), Record(None, "1")])
    for name, topic in (("source", source), ("target", target)):
        t_env.execute_sql(
            f"CREATE TABLE {name} (k STRING, n STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', "
            f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}', 'key.format' = 'raw', "
            "'value.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY')"
        )
    bounded = "/*+ OPTIONS('scan.bounded.mode' = 'latest-offset') */"
    t_env.execute_sql(f"INSERT INTO target SELECT k, shout(n) FROM source {bounded}").wait()
    assert {record.key: record.value for record in kafka.consume(target)} == {b"1": None, b"2": b'{"n":"B"}'}
    query = "SELECT shout(n) FROM (SELECT MAX(n) AS n FROM (VALUES ('a')) AS t (n) GROUP BY n) AS m WHERE n IS DISTINCT FROM 'b'"
    assert rows(t_env, query) == [("A",)]


def test_an_error_that_looks_like_a_secret_is_the_users(t_env: TableEnvironment) -> None:
    def login(user: str) -> str:
        raise ValueError(f"no such user, password={user}")

    t_env.create_temporary_function("login", udf(login, result_type="STRING"))
    with pytest.raises(UserFunctionError) as caught:
        rows(t_env, "SELECT login('HUSH') FROM (VALUES (1)) AS t (n)")
    assert caught.value.what == "function 'login' raised ValueError: no such user, password=***"
