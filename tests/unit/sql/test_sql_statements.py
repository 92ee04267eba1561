"""Each statement, from text to its value."""

from __future__ import annotations

import time

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.syntax.kinds import ExplainDetail, FeatureOption, MergingStrategy, ObjectKind, Shown
from kafkastream.sql.syntax.parser import parse, parse_one
from kafkastream.sql.syntax.statements import (
    AddJar,
    AsTable,
    CreateCatalog,
    CreateDatabase,
    CreateFunction,
    CreateTable,
    CreateView,
    Describe,
    Distribution,
    Drop,
    Explain,
    Insert,
    LikeClause,
    NamePattern,
    Query,
    Reset,
    Set,
    Show,
    Statement,
    StatementSet,
    Use,
    UseCatalog,
)
from kafkastream.sql.table import (
    Column,
    ComputedColumn,
    Expression,
    MetadataColumn,
    PhysicalColumn,
    Position,
    TableDefinition,
    TableSchema,
    Watermark,
)

ONE = Expression("SELECT 1")
INSERT = Insert(target=("t",), query=ONE)


def physical(name: str, type_: str, comment: str = "") -> PhysicalColumn:
    return PhysicalColumn(name, parse_type(type_), comment=comment)


def table(*columns: Column, **options: str) -> TableDefinition:
    return TableDefinition(("t",), TableSchema(columns), FrozenMap(options))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SELECT 1", Query(ONE)),
        ("  SELECT 1 ; ", Query(ONE)),
        ("WITH a AS (SELECT 1) SELECT * FROM a", Query(Expression("WITH a AS (SELECT 1) SELECT * FROM a"))),
        ("(SELECT 1) UNION ALL (SELECT 2)", Query(Expression("(SELECT 1) UNION ALL (SELECT 2)"))),
        ("VALUES (1, 'a;b')", Query(Expression("VALUES (1, 'a;b')"))),
        ("TABLE t", Query(Expression("TABLE t"))),
        ("INSERT INTO t SELECT 1", INSERT),
        ("insert into a.b.c select 1", Insert(target=("a", "b", "c"), query=Expression("select 1"))),
        ("INSERT INTO t (a, `b c`) SELECT 1", Insert(target=("t",), columns=("a", "b c"), query=ONE)),
        ("INSERT INTO t (SELECT 1)", Insert(target=("t",), query=Expression("(SELECT 1)"))),
        ("INSERT INTO t ((SELECT 1))", Insert(target=("t",), query=Expression("((SELECT 1))"))),
        ("INSERT INTO t VALUES (1), (2)", Insert(target=("t",), query=Expression("VALUES (1), (2)"))),
        ("INSERT INTO t (a) VALUES (1)", Insert(target=("t",), columns=("a",), query=Expression("VALUES (1)"))),
        (
            "INSERT INTO t /*+ OPTIONS('a' = 'b', 'c'='d') */ (x) SELECT 1",
            Insert(target=("t",), columns=("x",), query=ONE, options=FrozenMap({"a": "b", "c": "d"})),
        ),
        ("EXECUTE INSERT INTO t SELECT 1", INSERT),
        ("EXECUTE SELECT 1", Query(ONE)),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; END", StatementSet((INSERT,))),
        (
            "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; insert into t SELECT 1; END;",
            StatementSet((INSERT, INSERT)),
        ),
        ("BEGIN STATEMENT SET; INSERT INTO t SELECT 1; END;", StatementSet((INSERT,))),
        (
            "BEGIN STATEMENT SET; CREATE TABLE t AS SELECT 1; INSERT INTO t SELECT 1; END",
            StatementSet((CreateTable(definition=table(), query=ONE), INSERT)),
        ),
        ("CREATE VIEW v AS SELECT 1", CreateView(name=("v",), query=ONE)),
        (
            "CREATE TEMPORARY VIEW IF NOT EXISTS d.v (a, b) COMMENT 'c' AS SELECT 1",
            CreateView(name=("d", "v"), query=ONE, columns=("a", "b"), comment="c", if_not_exists=True, temporary=True),
        ),
        ("CREATE CATALOG c", CreateCatalog(name=("c",))),
        (
            "CREATE CATALOG IF NOT EXISTS c COMMENT 'd' WITH ('type'='kafka')",
            CreateCatalog(name=("c",), options=FrozenMap({"type": "kafka"}), comment="d", if_not_exists=True),
        ),
        ("CREATE DATABASE IF NOT EXISTS c.d WITH ()", CreateDatabase(name=("c", "d"), if_not_exists=True)),
        ("CREATE FUNCTION f AS 'm.f' LANGUAGE PYTHON", CreateFunction(name=("f",), function="m.f")),
        (
            "CREATE TEMPORARY FUNCTION IF NOT EXISTS d.f AS 'm.f' LANGUAGE PYTHON",
            CreateFunction(name=("d", "f"), function="m.f", if_not_exists=True, temporary=True),
        ),
        (
            "CREATE TEMPORARY SYSTEM FUNCTION f AS 'm.f' LANGUAGE PYTHON",
            CreateFunction(name=("f",), function="m.f", temporary=True, system=True),
        ),
        ("DROP TABLE a.t", Drop(kind=ObjectKind.TABLE, name=("a", "t"))),
        ("DROP TEMPORARY TABLE IF EXISTS t", Drop(kind=ObjectKind.TABLE, name=("t",), if_exists=True, temporary=True)),
        ("DROP VIEW v", Drop(kind=ObjectKind.VIEW, name=("v",))),
        ("DROP CATALOG IF EXISTS c", Drop(kind=ObjectKind.CATALOG, name=("c",), if_exists=True)),
        ("DROP DATABASE d CASCADE", Drop(kind=ObjectKind.DATABASE, name=("d",), cascade=True)),
        ("DROP DATABASE d RESTRICT", Drop(kind=ObjectKind.DATABASE, name=("d",))),
        ("DROP TEMPORARY SYSTEM FUNCTION f", Drop(kind=ObjectKind.FUNCTION, name=("f",), temporary=True, system=True)),
        ("SHOW TABLES", Show(Shown.TABLES)),
        ("SHOW TABLES FROM c.d NOT LIKE 'a%'", Show(Shown.TABLES, ("c", "d"), NamePattern("a%", negated=True))),
        ("SHOW VIEWS IN d ILIKE 'a_'", Show(Shown.VIEWS, ("d",), NamePattern("a_", any_case=True))),
        ("SHOW CATALOGS LIKE 'c'", Show(Shown.CATALOGS, pattern=NamePattern("c"))),
        ("SHOW DATABASES FROM c", Show(Shown.DATABASES, ("c",))),
        ("SHOW FUNCTIONS", Show(Shown.FUNCTIONS)),
        ("SHOW USER FUNCTIONS", Show(Shown.USER_FUNCTIONS)),
        ("SHOW JARS", Show(Shown.JARS)),
        ("SHOW COLUMNS FROM t LIKE '%'", Show(Shown.COLUMNS, ("t",), NamePattern("%"))),
        ("SHOW CURRENT CATALOG", Show(Shown.CURRENT_CATALOG)),
        ("SHOW CURRENT DATABASE", Show(Shown.CURRENT_DATABASE)),
        ("SHOW CREATE TABLE a.t", Show(Shown.CREATE_TABLE, ("a", "t"))),
        ("SHOW CREATE VIEW v", Show(Shown.CREATE_VIEW, ("v",))),
        ("SHOW CREATE CATALOG c", Show(Shown.CREATE_CATALOG, ("c",))),
        ("DESCRIBE a.t", Describe(ObjectKind.TABLE, ("a", "t"))),
        ("DESC EXTENDED t", Describe(ObjectKind.TABLE, ("t",), extended=True)),
        ("DESCRIBE CATALOG EXTENDED c", Describe(ObjectKind.CATALOG, ("c",), extended=True)),
        ("DESCRIBE DATABASE d", Describe(ObjectKind.DATABASE, ("d",))),
        ("DESCRIBE catalog", Describe(ObjectKind.TABLE, ("catalog",))),
        ("EXPLAIN SELECT 1", Explain(Query(ONE))),
        ("EXPLAIN PLAN FOR INSERT INTO t SELECT 1", Explain(INSERT)),
        (
            "EXPLAIN ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE SELECT 1",
            Explain(Query(ONE), tuple(ExplainDetail)),
        ),
        ("EXPLAIN STATEMENT SET BEGIN INSERT INTO t SELECT 1; END", Explain(StatementSet((INSERT,)))),
        ("EXPLAIN CREATE TABLE t AS SELECT 1", Explain(CreateTable(definition=table(), query=ONE))),
        ("USE d", Use(("d",))),
        ("USE c.`d`", Use(("c", "d"))),
        ("USE CATALOG c", UseCatalog("c")),
        ("SET", Set()),
        ("SET 'a.b' = 'c'", Set(FrozenMap({"a.b": "c"}))),
        ("SET a.b = 'c d'", Set(FrozenMap({"a.b": "c d"}))),
        ("set A-b.c=10;", Set(FrozenMap({"A-b.c": "10"}))),
        ("SET a\n=\nb=c -- d", Set(FrozenMap({"a": "b=c"}))),
        ("SET a.b = file:///c*d;", Set(FrozenMap({"a.b": "file:///c*d"}))),
        ("RESET", Reset()),
        ("RESET a.b;", Reset("a.b")),
        ("RESET 'a.b'", Reset("a.b")),
        ("ADD JAR '/a.jar'", AddJar("/a.jar")),
    ],
)
def test_statements(text: str, statement: Statement) -> None:
    assert parse_one(text) == statement
    assert parse(text) == (statement,)


@pytest.mark.parametrize(
    ("element", "column"),
    [
        ("a INT", physical("a", "INT")),
        ("`a b` STRING NOT NULL COMMENT 'it''s'", physical("a b", "STRING NOT NULL", "it's")),
        ("`comment` STRING", physical("comment", "STRING")),
        ("`watermark` BIGINT", physical("watermark", "BIGINT")),
        ("a ROW<b INT> ARRAY NOT NULL", physical("a", "ARRAY<ROW<b INT>> NOT NULL")),
        ("topic STRING METADATA", MetadataColumn("topic", parse_type("STRING"), "topic")),
        (
            "o BIGINT NOT NULL METADATA FROM 'offset' VIRTUAL",
            MetadataColumn("o", parse_type("BIGINT NOT NULL"), "offset", True),
        ),
        (
            "`timestamp-type` string metadata virtual",
            MetadataColumn("timestamp-type", parse_type("STRING"), "timestamp-type", True),
        ),
        (
            "ts TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL METADATA VIRTUAL COMMENT 'c'",
            MetadataColumn("ts", parse_type("TIMESTAMP_LTZ(3) NOT NULL"), "ts", True, comment="c"),
        ),
        (
            "h MAP<STRING, BYTES> NOT NULL METADATA FROM 'headers'",
            MetadataColumn("h", parse_type("MAP<STRING, BYTES> NOT NULL"), "headers"),
        ),
        ("p AS PROCTIME()", ComputedColumn("p", Expression("PROCTIME()"))),
        ("c AS 2 * (a + b[1]) COMMENT 'c'", ComputedColumn("c", Expression("2 * (a + b[1])"), comment="c")),
        ("c AS f(a, ',)') -- why", ComputedColumn("c", Expression("f(a, ',)')"))),
        ("c AS CAST(a AS MAP<INT, STRING>)", ComputedColumn("c", Expression("CAST(a AS MAP<INT, STRING>)"))),
        ("c AS a /* b */ + 1 /* d */", ComputedColumn("c", Expression("a /* b */ + 1"))),
    ],
)
def test_columns(element: str, column: Column) -> None:
    assert parse_one(f"CREATE TABLE t ({element}\n)") == CreateTable(definition=table(column))


def test_a_whole_table() -> None:
    text = """
CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (
  id INT NOT NULL,
  item ROW<sent TIMESTAMP(3), note STRING>,
  CONSTRAINT pk PRIMARY KEY (id, `k`) NOT ENFORCED,
  k STRING,
  WATERMARK FOR item.sent AS item.sent - INTERVAL '5' SECOND,
  dated AS CAST(item.sent AS DATE)
) COMMENT 'all'
DISTRIBUTED BY HASH (id, k) INTO 4 BUCKETS
PARTITIONED BY (k)
WITH (
  'connector' = 'kafka', -- yes
  'csv.quote-character' = '''',
  'topic' = 'old',
  'topic' = 'new'
);"""
    created = parse_one(text)
    assert created == CreateTable(
        definition=TableDefinition(
            ("c", "d", "t"),
            TableSchema(
                (
                    physical("id", "INT NOT NULL"),
                    physical("item", "ROW<sent TIMESTAMP(3), note STRING>"),
                    physical("k", "STRING NOT NULL"),
                    ComputedColumn("dated", Expression("CAST(item.sent AS DATE)")),
                ),
                Watermark(("item", "sent"), Expression("item.sent - INTERVAL '5' SECOND")),
                ("id", "k"),
            ),
            FrozenMap({"connector": "kafka", "csv.quote-character": "'", "topic": "new"}),
            "all",
            partitioned_by=("k",),
        ),
        if_not_exists=True,
        temporary=True,
        distribution=Distribution(algorithm="HASH", columns=("id", "k"), buckets=4),
    )
    assert isinstance(created, CreateTable)
    definition = created.definition
    assert created.position == Position(2, 1)
    assert definition.positions == {
        "connector": Position(13, 3),
        "csv.quote-character": Position(14, 3),
        "topic": Position(16, 3),
    }
    assert [column.position for column in definition.schema.columns] == [
        Position(3, 3),
        Position(4, 3),
        Position(6, 3),
        Position(8, 3),
    ]
    assert definition.schema.watermark is not None
    assert definition.schema.watermark.position == Position(7, 3)
    assert definition.schema.watermark.expression.position == Position(7, 30)
    assert definition.schema.computed[0].expression.position == Position(8, 12)


def test_a_key_behind_a_column() -> None:
    text = "CREATE TABLE t (a INT CONSTRAINT k PRIMARY KEY NOT ENFORCED COMMENT 'c', b INT)"
    schema = TableSchema((physical("a", "INT NOT NULL", "c"), physical("b", "INT")), primary_key=("a",))
    assert parse_one(text) == CreateTable(definition=TableDefinition(("t",), schema))


@pytest.mark.parametrize(
    ("clause", "distribution"),
    [
        ("DISTRIBUTED INTO 3 BUCKETS", Distribution(buckets=3)),
        ("DISTRIBUTED BY (a)", Distribution(columns=("a",))),
        ("DISTRIBUTED BY RANGE(a) INTO 2 BUCKETS", Distribution(algorithm="RANGE", columns=("a",), buckets=2)),
    ],
)
def test_distributions(clause: str, distribution: Distribution) -> None:
    assert parse_one(f"CREATE TABLE t (a INT) {clause}") == CreateTable(
        definition=table(physical("a", "INT")), distribution=distribution
    )


def test_like() -> None:
    like = LikeClause(
        ("d", "base"),
        FrozenMap(
            {
                FeatureOption.ALL: MergingStrategy.EXCLUDING,
                FeatureOption.OPTIONS: MergingStrategy.OVERWRITING,
                FeatureOption.DISTRIBUTION: MergingStrategy.INCLUDING,
            }
        ),
    )
    assert parse_one("CREATE TABLE t LIKE base") == CreateTable(definition=table(), like=LikeClause(("base",)))
    text = "CREATE TABLE t (PRIMARY KEY (a) NOT ENFORCED, WATERMARK FOR b AS b) WITH ('x' = 'y') LIKE d.base ("
    options = "EXCLUDING ALL OVERWRITING OPTIONS INCLUDING DISTRIBUTION)"
    schema = TableSchema((), Watermark(("b",), Expression("b")), ("a",))
    expected = CreateTable(definition=TableDefinition(("t",), schema, FrozenMap({"x": "y"})), like=like)
    assert parse_one(text + options) == expected


def test_a_table_with_the_rows_of_a_query() -> None:
    text = "CREATE TABLE t (PRIMARY KEY (a) NOT ENFORCED) WITH ('x' = 'y') AS SELECT 1"
    definition = TableDefinition(("t",), TableSchema(primary_key=("a",)), FrozenMap({"x": "y"}))
    assert parse_one(text) == CreateTable(definition=definition, query=ONE)


@pytest.mark.parametrize(
    ("clause", "as_table"),
    [
        ("a.`default`.s", AsTable(("a", "default", "s"))),
        ("s /*+ OPTIONS('a'='b') */", AsTable(("s",), options=FrozenMap({"a": "b"}))),
        (
            "s ADD COLUMN a AS f(b, 1), c AS d COMMENT 'e'",
            AsTable(
                ("s",), (ComputedColumn("a", Expression("f(b, 1)")), ComputedColumn("c", Expression("d"), comment="e"))
            ),
        ),
        (
            "s ADD COLUMN (a AS f(b, 1), c AS d)",
            AsTable(("s",), (ComputedColumn("a", Expression("f(b, 1)")), ComputedColumn("c", Expression("d")))),
        ),
    ],
)
def test_a_table_with_the_rows_of_another(clause: str, as_table: AsTable) -> None:
    assert parse_one(f"CREATE TABLE t AS TABLE {clause};") == CreateTable(definition=table(), as_table=as_table)


def test_queries_are_kept_as_they_stand() -> None:
    query = """SELECT a, -- the first; one
       'b;c', CASE WHEN d THEN e END
FROM s /*+ OPTIONS('scan.startup.mode' = 'earliest-offset') */
WHERE f IN (1, 2)"""
    text = f"INSERT INTO t\n  {query} -- done\n;\nSET 'a' = 'b';"
    insert, _ = parse(text)
    assert insert == Insert(target=("t",), query=Expression(query))
    assert isinstance(insert, Insert)
    assert insert.query.position == Position(2, 3)


def test_files_of_statements() -> None:
    assert parse("") == parse(" ;; -- nothing\n ; ") == ()
    assert parse("USE a;;USE b") == (Use(("a",)), Use(("b",)))
    assert [
        statement.position
        for statement in parse("USE a;\n USE b;EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; END")
    ] == [
        Position(1, 1),
        Position(2, 2),
        Position(2, 16),
    ]


@pytest.mark.parametrize("text", ["", " ; ", "USE a; USE b"])
def test_one_statement_is_neither_none_nor_two(text: str) -> None:
    with pytest.raises(DefinitionError, match="Expected"):
        parse_one(text)


def test_a_long_file_is_read_fast() -> None:
    columns = ", ".join(f"column_{number} MAP<STRING, BYTES> NOT NULL METADATA VIRTUAL" for number in range(9))
    text = (
        f"CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 'a');\nINSERT INTO t SELECT a, f(b, 'c') FROM s;\n"
        * 500
    )
    start = time.process_time()
    assert len(parse(text)) == 1000
    assert time.process_time() - start < 10
