"""``JdbcSink`` and its options as values."""

from __future__ import annotations

import pickle

import pytest

from kafkastream.common import Types
from kafkastream.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.connectors.jdbc_sink import JdbcAddress
from kafkastream.postgres.sql_writer import with_placeholders

Builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder


def test_sink_keeps_all_and_shows_no_password() -> None:
    options = Builder().with_url("jdbc:postgresql://db:5433/shop?password=hidden").with_user_name("ann")
    connection = options.with_password("secret").with_driver_name("org.postgresql.Driver").build()
    execution = JdbcExecutionOptions.builder().with_batch_size(7).with_batch_interval_ms(5).with_max_retries(1).build()
    sink = JdbcSink.sink("INSERT INTO t VALUES (?)", Types.ROW([Types.INT()]), connection, execution)
    assert pickle.loads(pickle.dumps(sink)) == sink
    assert (connection.get_user_name(), connection.get_password()) == ("ann", "secret")
    assert (connection.get_db_url(), connection.get_driver_name()) == (connection.url, "org.postgresql.Driver")
    assert (execution.get_batch_size(), execution.get_batch_interval_ms(), execution.get_max_retries()) == (7, 5, 1)
    assert "secret" not in repr(sink)
    assert "hidden" not in repr(connection.address)
    assert JdbcSink.sink("…", Types.ROW([]), connection).execution == JdbcExecutionOptions.defaults()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("jdbc:postgresql://db/shop", JdbcAddress("db", 5432, "shop")),
        ("jdbc:postgresql://[::1]:1/a%20b", JdbcAddress("::1", 1, "a b")),
        ("jdbc:postgresql://db/s?user=a%40b&password=p", JdbcAddress("db", 5432, "s", "a@b", "p")),
        (
            "jdbc:postgresql://db/s?sslmode=require&connectTimeout=5&reWriteBatchedInserts=true",
            JdbcAddress("db", 5432, "s", properties={"sslmode": "require", "connect_timeout": "5"}),
        ),
        (
            "jdbc:postgresql://db/s?currentSchema=shop,%20other",
            JdbcAddress("db", 5432, "s", properties={"options": "-c search_path=shop,\\ other"}),
        ),
    ],
)
def test_url_says_the_database(url: str, address: JdbcAddress) -> None:
    assert JdbcAddress.parse(url) == address


@pytest.mark.parametrize(
    ("url", "error", "told"),
    [
        ("jdbc:mysql://db/shop", UnsupportedFeatureError, "cannot write to mysql"),
        ("jdbc:oracle:thin:@db:1521:shop", UnsupportedFeatureError, "cannot write to oracle"),
        ("jdbc:postgresql://db/shop?socketFactory=x", UnsupportedFeatureError, "'socketFactory'"),
        ("jdbc:postgresql://db", DefinitionError, "is not a JDBC URL"),
        ("jdbc:postgresql://db:port/shop", DefinitionError, "is not a JDBC URL"),
        ("postgresql://db/shop", DefinitionError, "is not a JDBC URL"),
        ("shop", DefinitionError, "is not a JDBC URL"),
    ],
)
def test_url_of_no_postgres_is_refused(url: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        Builder().with_url(url).build()


def test_missing_url_and_negative_numbers_are_refused() -> None:
    with pytest.raises(DefinitionError, match="no URL"):
        Builder().build()
    with pytest.raises(DefinitionError, match="less than 0"):
        JdbcExecutionOptions.builder().with_max_retries(-1).build()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("INSERT INTO t (a, b) VALUES (?, ?)", ("INSERT INTO t (a, b) VALUES (%s, %s)", 2)),
        ("SELECT '?', \"?\", 'it''s ?' -- ?\n, ? /* ? */", ("SELECT '?', \"?\", 'it''s ?' -- ?\n, %s /* ? */", 1)),
        ("SELECT a ?? 'b%' % ?", ("SELECT a ? 'b%%' %% %s", 1)),
    ],
)
def test_placeholders_are_those_outside_of_texts(statement: str, expected: tuple[str, int]) -> None:
    assert with_placeholders(statement) == expected
