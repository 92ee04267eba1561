"""The SQL shell without Spark: completeness of a text, completions, tables of changes, statements that start no job."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from kafkastream.cli.shell.completion import completions
from kafkastream.cli.shell.live_table import ChangelogTable
from kafkastream.cli.shell.shell_session import ShellSession
from kafkastream.cli.shell.statement_text import is_complete
from kafkastream.model.common.row import Row, RowKind
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.table.udf import udf

ORDERS = """
CREATE TABLE orders (id BIGINT, `unit price` DECIMAL(10, 2), customer STRING) WITH ('connector' = 'datagen');
CREATE TABLE `2025 orders` (id BIGINT) WITH ('connector' = 'print');
"""


@pytest.fixture
def t_env() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env._execute_all(ORDERS)
    t_env.create_temporary_function("priceof", udf(lambda one: one, result_type="BIGINT"))
    return t_env


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("SELECT 1;", True),
        ("SELECT 1; ", True),
        ("SELECT 1; -- done", True),
        ("SELECT 1", False),
        ("SELECT ';", False),
        ("SELECT 1 /* ;", False),
        ("SELECT `a;", False),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;", False),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", True),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN TRUE THEN 1 END;", False),
        ("SELECT CASE WHEN TRUE THEN 1 END;", True),
        ("SELECT \u00b41\u00b4", True),
        ("quit", True),
        ("", True),
    ],
)
def test_enter_executes_a_complete_text(text: str, *, complete: bool) -> None:
    assert is_complete(text) is complete


@pytest.mark.parametrize(
    ("text", "typed", "some"),
    [
        ("SEL", "SEL", ["SELECT"]),
        ("sel", "sel", ["select"]),
        ("HE", "HE", ["HELP"]),
        ("SELECT * FROM ", "", ["`2025 orders`", "orders"]),
        ("SELECT * FROM ord", "ord", ["orders"]),
        ("SELECT * FROM `2", "`2", ["`2025 orders`"]),
        ("DESCRIBE o", "o", ["orders"]),
        ("SELECT id FROM orders WHERE cus", "cus", ["customer"]),
        ("SELECT id FROM orders WHERE un", "un", ["`unit price`"]),
        ("SELECT JSON_Q", "JSON_Q", ["JSON_QUERY"]),
        ("SELECT LISTA", "LISTA", ["LISTAGG"]),
        ("SELECT pri", "pri", ["priceof"]),
        ("DROP TEMPORARY FUNCTION ", "", ["priceof"]),
        ("SELECT /*+ ", "", ["BROADCAST", "LOOKUP", "STATE_TTL"]),
        ("SELECT /*+ STATE_TTL('orders' = '1 d'), BRO", "BRO", ["BROADCAST"]),
        ("SELECT /*+ BROADCAST(", "", ["orders"]),
        ("SELECT /*+ STATE_TTL('ord", "ord", ["orders"]),
        ("SELECT /*+ LOOKUP('table' = 'orders', 'max", "max", ["max-attempts"]),
        ("SELECT * FROM orders /*+ ", "", ["OPTIONS"]),
        ("SELECT * FROM orders /*+ OPTIONS('rows", "rows", ["rows-per-second"]),
        ("SELECT /*+ BROADCAST(orders) */ cus", "cus", []),
        ("SELECT /*+ BROADCAST(orders) */ id FROM ", "", ["orders"]),
        ("CREATE TABLE t (a INT) WITH ('con", "con", ["connector"]),
        ("CREATE TABLE t (a INT) WITH ('connector' = '", "", ["datagen", "kafka", "print"]),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows", "rows", ["rows-per-second"]),
        ("SET 'sql-client.execution.r", "sql-client.execution.r", ["sql-client.execution.result-mode"]),
        ("SET 'sql-client.execution.result-mode' = 'TABLEA", "TABLEA", ["TABLEAU"]),
    ],
)
def test_completions(t_env: TableEnvironment, text: str, typed: str, some: list[str]) -> None:
    found = completions(text, t_env)
    assert found.typed == typed
    assert set(some) <= set(found.words)
    assert len(some) < 3 or len(found.words) < 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT * FROM orders /*+ ", ["OPTIONS"]),
        ("SELECT * FROM orders /*+ OPTIONS(", []),
        ("SELECT * FROM nothing /*+ OPTIONS('", []),
        ("DROP TEMPORARY FUNCTION ", ["priceof"]),
    ],
)
def test_nothing_else_completes_hints_and_names_of_functions(
    t_env: TableEnvironment, text: str, words: list[str]
) -> None:
    assert completions(text, t_env).words == words


@pytest.mark.parametrize("text", ["SELECT /* SEL", "'", "SELECT 'SEL", "SELECT \u00b4"])
def test_nothing_completes_comments_and_texts(t_env: TableEnvironment, text: str) -> None:
    assert not [word for word in completions(text, t_env).words if word.startswith("SEL")]


def test_a_table_of_changes_keeps_equal_rows_and_drops_the_oldest() -> None:
    table = ChangelogTable(most_rows=3)
    for row in (Row("a", [1]), Row("a", [1]), Row.of_kind(RowKind.DELETE, "a", [1]), Row("b", None)):
        table.add(row)
    assert (len(table), table.last(10), table.changes) == (2, [Row("a", [1]), Row("b", None)], 4)
    table.add(Row.of_kind(RowKind.DELETE, "unknown", None))
    table.add(Row("c", 0))
    table.add(Row("d", 0))
    assert [row[0] for row in table.last(10)] == ["b", "c", "d"]
    assert [row[0] for row in table.last(2)] == ["c", "d"]


def _output(t_env: TableEnvironment, *texts: str, confirm: Callable[[str], bool] = lambda _: True) -> str:
    """What a session prints for these texts, and for the end of input."""
    output, remaining = StringIO(), iter(texts)

    def ask() -> str:
        try:
            return next(remaining)
        except StopIteration:
            raise EOFError from None

    ShellSession(t_env, Console(file=output, width=120), confirm).run(ask)
    return output.getvalue()


def test_an_error_does_not_end_the_session(t_env: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    output = _output(t_env, "SELECT * FROM ordres;", "SHOW TABLES;")
    assert "error:" in output
    assert "Did you mean 'orders'?" in output
    assert "2025 orders" in capsys.readouterr().out


def test_a_password_is_not_repeated_in_an_error(t_env: TableEnvironment) -> None:
    text = "CREATE TABLE t (a INT) WITH ('connector' = 'nothing', 'password' = 'hunter2') oops;"
    assert "hunter2" not in _output(t_env, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("help", "Shows this list."),
        ("SHOW JOBS;", "job name"),
        ("STOP JOB;", "STOP JOB needs the job's id"),
        ("STOP JOB 'a';", "there is no job 'a'"),
        ("STOP JOB 'a' WITH SAVEPOINT;", "Spark has no savepoints"),
    ],
)
def test_commands_of_the_shell(t_env: TableEnvironment, text: str, shown: str) -> None:
    assert shown in _output(t_env, text)


def test_the_history_has_no_passwords(tmp_path: Path) -> None:
    from kafkastream.cli.shell.prompt import _History

    file = tmp_path / "history"
    _History(str(file)).store_string("CREATE TABLE t (a INT) WITH ('ssl.key.password' = 'hunter2');")
    assert "CREATE TABLE t" in file.read_text()
    assert "hunter2" not in file.read_text()
