"""A session with a catalog whose tables are there by themselves, beside its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import attrs
import pytest

from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.connectors.topic_sample import Message, TopicSample
from kafkastream.sql.catalog import SessionCatalog
from kafkastream.sql.kafka_catalog.catalog import KafkaJsonCatalog
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.syntax.parser import parse, parse_one
from kafkastream.sql.syntax.statements import CreateCatalog
from kafkastream.sql.table import Expression, TableDefinition
from kafkastream.table import EnvironmentSettings, TableEnvironment, TableResult
from kafkastream.table.session.session_planner import SessionPlanner
from kafkastream.table.session.statements import Interpreter
from kafkastream.table.table_config import TableConfig
from kafkastream.table.udf import udf

CREATE = """CREATE CATALOG c WITH (
  'type' = 'kafka', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json', 'default-database' = 'd',
  'properties.sasl.jaas.config' = 'hush', 'properties.ssl.key.password' = '${env:PATH}'
)"""
OWN = "default_catalog.default_database"


@attrs.define
class Written:
    """Topics with one message each; it counts how often it is asked."""

    topics: tuple[str, ...] = ("a.b", "orders")
    asked: list[str] = attrs.field(factory=list)

    def names(self) -> Collection[str]:
        self.asked.append("names")
        return self.topics

    def sample(self, topic: str, most: int) -> TopicSample:
        self.asked.append(f"{topic} {most}")
        return TopicSample((Message(None, b'{"id":1}'),))


class Session:
    """Executes statements, in a session that has the catalog."""

    def __init__(self) -> None:
        self.topics = Written()
        self.planner = SessionPlanner(SessionCatalog(), TableConfig())
        created = parse_one(CREATE)
        assert isinstance(created, CreateCatalog)
        made = KafkaJsonCatalog(created, lambda _: self.topics)
        self.planner.catalog.add_catalog(made, "", if_not_exists=False)

    def __call__(self, text: str) -> list[str]:
        """The first column of what the last statement tells."""
        interpreter = Interpreter(self.planner, lambda _: TableResult.ok(), lambda _: TableResult.ok())
        with [interpreter.execute(statement) for statement in parse(text)][-1].collect() as rows:
            return [row[0] for row in rows]


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SHOW CATALOGS", ["c", "default_catalog"]),
        ("USE CATALOG c; SHOW CURRENT CATALOG", ["c"]),
        ("USE CATALOG c; SHOW CURRENT DATABASE", ["d"]),
        ("USE CATALOG c; SHOW DATABASES", ["d"]),
        ("USE c.d; SHOW TABLES", ["a.b", "orders"]),
        ("USE CATALOG c; SHOW TABLES LIKE 'o%'", ["orders"]),
        ("USE CATALOG c; SHOW VIEWS", []),
        (
            "USE CATALOG c; CREATE TEMPORARY TABLE x (a INT) WITH ('connector' = 'print'); SHOW TABLES",
            ["a.b", "orders", "x"],
        ),
        ("USE CATALOG c; USE CATALOG default_catalog; SHOW TABLES", []),
        ("CREATE TABLE mine LIKE c.d.orders; SHOW TABLES", ["mine"]),
        (f"USE CATALOG c; CREATE TABLE {OWN}.mine LIKE `a.b`; USE {OWN}; SHOW TABLES", ["mine"]),
        ("DROP CATALOG c; SHOW CATALOGS", ["default_catalog"]),
        ("DROP CATALOG IF EXISTS nope; SHOW CATALOGS", ["c", "default_catalog"]),
    ],
)
def test_statements(session: Session, text: str, expected: Sequence[str]) -> None:
    assert session(text) == expected


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("SHOW CREATE TABLE c.d.nope", DefinitionError, "Object 'c.d.nope' not found"),
        ("SHOW CREATE TABLE c.nope.orders", DefinitionError, "Object 'c.nope.orders' not found"),
        ("USE c.nope", DefinitionError, "A database with name [nope] does not exist in the catalog: [c]."),
        ("USE CATALOG nope", DefinitionError, "A catalog with name [nope] does not exist."),
        ("DROP CATALOG nope", DefinitionError, "A catalog with name [nope] does not exist."),
        ("USE CATALOG c; DROP CATALOG c", DefinitionError, "Cannot drop a catalog which is currently in use."),
        (CREATE, DefinitionError, "Catalog c already exists."),
        ("DROP CATALOG default_catalog", UnsupportedFeatureError, "the catalog default_catalog is the session's own"),
        ("SHOW CREATE CATALOG default_catalog", UnsupportedFeatureError, "the catalog default_catalog is the"),
        ("CREATE TABLE c.d.t (a INT) WITH ('connector' = 'print')", UnsupportedFeatureError, "can only be read"),
        ("USE CATALOG c; CREATE TABLE t LIKE orders", UnsupportedFeatureError, "can only be read"),
        ("DROP TABLE c.d.orders", UnsupportedFeatureError, "can only be read"),
        ("CREATE DATABASE c.x", UnsupportedFeatureError, "can only be read"),
        ("DROP DATABASE c.d", UnsupportedFeatureError, "can only be read"),
        ("INSERT INTO c.d.orders VALUES (1)", UnsupportedFeatureError, "can only be read"),
    ],
)
def test_errors(session: Session, text: str, kind: type[KafkastreamError], message: str) -> None:
    with pytest.raises(kind) as caught:
        session(text)
    assert message in caught.value.what
    assert caught.value.where
    assert (
        "CREATE TABLE default_catalog.default_database.t LIKE c.d.topic" in caught.value.now or "only be" not in message
    )


def test_the_brokers_are_asked_once_for_what_a_query_needs(session: Session) -> None:
    session("USE CATALOG c; SHOW CATALOGS; SHOW DATABASES")
    assert session.topics.asked == []
    first = session("SHOW CREATE TABLE orders")
    assert session.topics.asked == ["names", "orders 100"]
    assert session("SHOW CREATE TABLE c.d.orders") == first
    assert session.topics.asked == ["names", "orders 100"]


def test_no_secret_is_shown(session: Session) -> None:
    (table,), (catalog,) = session("SHOW CREATE TABLE c.d.`a.b`"), session("SHOW CREATE CATALOG c")
    assert table.startswith(
        "CREATE TABLE `c`.`d`.`a.b` (\n  `value_id` BIGINT,\n  `partition` INT NOT NULL METADATA VIRTUAL"
    )
    assert catalog == (
        "CREATE CATALOG `c` WITH (\n  'type' = 'kafka',\n  'properties.bootstrap.servers' = 'b:1',\n  'format' = 'json',\n"
        "  'default-database' = 'd',\n  'properties.sasl.jaas.config' = '***',\n  'properties.ssl.key.password' = '***'\n)"
    )
    assert "'properties.sasl.jaas.config' = '***',\n  'properties.ssl.key.password' = '***'" in table
    found = session.planner.catalog.find(("c", "d", "orders"))
    assert found is not None
    assert "hush" not in repr(found)


def test_a_temporary_table_hides_a_topic(session: Session) -> None:
    session("CREATE TEMPORARY TABLE c.d.orders (a INT) WITH ('connector' = 'print')")
    session.planner.catalog.check_writable(("c", "d", "orders"), "here")
    assert "`a` INT" in session("SHOW CREATE TABLE c.d.orders")[0]
    assert "`value_id` BIGINT" in session("DROP TEMPORARY TABLE c.d.orders; SHOW CREATE TABLE c.d.orders")[0]


def test_a_temporary_view_hides_a_table_of_the_list(session: Session) -> None:
    catalog, view = session.planner.catalog, View(Expression("SELECT 1"))
    session("CREATE TABLE mine (a INT) WITH ('connector' = 'print')")
    catalog.create(("mine",), view, "here", temporary=True, if_not_exists=False)
    assert (catalog.names(), catalog.names(TableDefinition), catalog.names(View)) == (("mine",), (), ("mine",))


def test_names_in_views_mean_what_they_meant_when_these_were_made(session: Session) -> None:
    session("USE CATALOG c; CREATE TEMPORARY VIEW v AS SELECT value_id FROM orders; USE CATALOG default_catalog")
    session("CREATE TABLE orders (a INT) WITH ('connector' = 'datagen'); CREATE VIEW w AS SELECT * FROM c.d.v; USE c.d")
    relation = session.planner.query(Expression(f"SELECT * FROM {OWN}.w"))
    assert [field.name for field in relation.fields] == ["value_id"]


def test_only_what_is_temporary_is_dropped_as_such(session: Session) -> None:
    catalog = session.planner.catalog
    assert not catalog.drop(("c", "d", "orders"), TableDefinition, "", temporary=True, if_exists=True)
    session("CREATE TEMPORARY TABLE c.d.orders (a INT) WITH ('connector' = 'print')")
    assert catalog.drop(("c", "d", "orders"), TableDefinition, "", temporary=True, if_exists=True)
    assert session.topics.asked == []


def test_tables_keep_the_meaning_of_the_names_in_their_queries() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    planner = t_env._planner
    t_env.execute_sql("CREATE TABLE orders (a INT) WITH ('connector' = 'datagen')")
    table = t_env.sql_query("SELECT * FROM orders")
    t_env.create_temporary_view("v", table)
    t_env.execute_sql("CREATE VIEW w AS SELECT * FROM orders")
    t_env.execute_sql("DROP TABLE orders")
    t_env.execute_sql("CREATE TABLE orders (b INT, c INT) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE TABLE sink (a INT) WITH ('connector' = 'print')")

    def columns(query: Expression) -> list[str]:
        return [field.name for field in planner.query(query).fields]

    assert columns(table._query) == columns(Expression("SELECT * FROM v")) == ["a"]
    assert columns(Expression("SELECT * FROM w")) == ["b", "c"]
    assert planner.insert(table._insert("sink", "here", overwrite=False)).target.table is not None


@pytest.mark.parametrize("path", ["", ".", "a.", "a..b", ".a", "`a", "a.b.c.d", "a.`b.c`.d.e"])
def test_what_is_no_name_is_refused(path: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    function = udf(lambda value: value, result_type="INT")
    for use in (t_env.from_path, t_env.drop_temporary_view, t_env.drop_temporary_function, t_env.drop_temporary_table):
        with pytest.raises(DefinitionError, match="is not a name"):
            use(path)
    with pytest.raises(DefinitionError, match="is not a name"):
        t_env.create_temporary_function(path, function)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE a.b.c.d (x INT) WITH ('connector' = 'print')",
        "CREATE VIEW a.b.c.d AS SELECT 1",
        "DROP TABLE a.b.c.d",
        "INSERT INTO a.b.c.d SELECT 1",
        "DESCRIBE a.b.c.d",
        "SELECT * FROM a.b.c.d",
        "DROP FUNCTION a.b.c.d",
    ],
)
def test_names_have_three_parts_at_most(session: Session, statement: str) -> None:
    with pytest.raises(DefinitionError, match="is not a name: it has 4 parts"):
        session(statement)
