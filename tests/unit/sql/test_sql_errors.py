"""Errors about a text that is not Flink SQL: where, what was found, what would fit."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.parser import parse


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("SELCT 1", (1, 1), "found 'SELCT' | Did you mean 'SELECT'?"),
        ("USE a; oops", (1, 8), "found 'oops'"),
        ("'a'", (1, 1), "found 'a'"),
        ("CREATE TABEL t (a INT)", (1, 8), "found 'TABEL' | Did you mean 'TABLE'?"),
        ("CREATE TABLE (a INT)", (1, 14), "Expected IF or a name, found '('"),
        ("CREATE TABLE IF EXISTS t (a INT)", (1, 17), "Expected NOT, | found 'EXISTS'"),
        ("CREATE TABLE t a INT", (1, 16), "found 'a'"),
        ("CREATE TABLE t (a INT, )", (1, 24), "Expected WATERMARK, CONSTRAINT, UNIQUE, PRIMARY or a name, found ')'"),
        ("CREATE TABLE t (a INT b INT)", (1, 23), "',' or ')', found 'b'"),
        ("CREATE TABLE t (a INT", (1, 22), "',' or ')', found the end of the text"),
        ("CREATE TABLE t (a)", (1, 18), "Expected AS or a type, found ')'"),
        ("CREATE TABLE t (a INTT)", (1, 19), "'INTT' is not a type. | Did you mean 'INT'?"),
        (
            "CREATE TABLE t (\n  ts TIMESTAMP(3) METDATA FROM 'timestamp')",
            (2, 19),
            "METADATA, | found 'METDATA' | Did you mean 'METADATA'?",
        ),
        (
            "CREATE TABLE t (a INT METADATA FROM b)",
            (1, 37),
            "Expected a text in single quotes, found 'b'. | Put it in single quotes.",
        ),
        ("CREATE TABLE t (a INT METADATA VIRTUEL)", (1, 32), "Did you mean 'VIRTUAL'?"),
        ("CREATE TABLE t (a INT METADATA VIRTUAL FROM 'b')", (1, 40), "Expected COMMENT, ',' or ')', found 'FROM'"),
        ("CREATE TABLE t (a INT COMMENT b)", (1, 31), "Expected a text in single quotes"),
        (
            "CREATE TABLE t (order STRING)",
            (1, 17),
            "found 'order'. | ORDER is a reserved word; as a name, write it in backticks: `order`.",
        ),
        ("CREATE TABLE t (a AS )", (1, 22), "Expected an expression, found ')'"),
        ("CREATE TABLE t (a AS f(b, c INT)", (1, 33), "',' or ')', found the end"),
        ("CREATE TABLE t (a AS f(b, c INT", (1, 23), "This ( is never closed."),
        ("CREATE TABLE t (a AS f(b[1), c INT)", (1, 25), "This [ is never closed. | Close it with ]."),
        ("CREATE TABLE t (a INT, a STRING)", (1, 24), "A column named 'a' already exists in the table."),
        (
            "CREATE TABLE t (a INT PRIMARY KEY)",
            (1, 23),
            "Flink doesn't support ENFORCED mode for PRIMARY KEY | Write NOT ENFORCED after it.",
        ),
        ("CREATE TABLE t (a INT,\n PRIMARY KEY (a))", (2, 2), "Flink doesn't support ENFORCED mode"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a) ENFORCED)", (1, 24), "Flink doesn't support ENFORCED mode"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a) NOT ENFORCD)", (1, 44), "Did you mean 'ENFORCED'?"),
        ("CREATE TABLE t (a INT, PRIMARY (a) NOT ENFORCED)", (1, 32), "Expected KEY, found '('"),
        ("CREATE TABLE t (a INT, PRIMARY KEY a NOT ENFORCED)", (1, 36), "Expected '(', found 'a'"),
        (
            "CREATE TABLE t (idea INT, PRIMARY KEY (idee) NOT ENFORCED)",
            (1, 40),
            "Primary key column 'idee' is not defined | Did you mean 'idea'?",
        ),
        (
            "CREATE TABLE t (a INT, PRIMARY KEY (a, a) NOT ENFORCED)",
            (1, 40),
            "Column 'a' is more than once in the primary key.",
        ),
        (
            "CREATE TABLE t (a AS 1, PRIMARY KEY (a) NOT ENFORCED)",
            (1, 38),
            "computed column 'a' cannot be in the primary key",
        ),
        (
            "CREATE TABLE t (a INT METADATA, PRIMARY KEY (a) NOT ENFORCED)",
            (1, 46),
            "column 'a' is nullable. | Declare it as INT NOT NULL.",
        ),
        (
            "CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, PRIMARY KEY (a) NOT ENFORCED)",
            (1, 49),
            "Duplicate primary key definition.",
        ),
        ("CREATE TABLE t (a INT, UNIQUE (a))", (1, 24), "UNIQUE constraint is not supported yet."),
        (
            "CREATE TABLE t (a INT, CONSTRAINT b FOREIGN KEY (a))",
            (1, 37),
            "Expected UNIQUE or PRIMARY, found 'FOREIGN'",
        ),
        (
            "CREATE TABLE t (a TIMESTAMP(3), WATERMARK FOR a AS a, WATERMARK FOR a AS a)",
            (1, 55),
            "Multiple WATERMARK declarations are not supported yet.",
        ),
        (
            "CREATE TABLE t (times TIMESTAMP(3), WATERMARK FOR tims AS tims)",
            (1, 51),
            "The watermark's column 'tims' is not defined in the schema. | Did you mean 'times'?",
        ),
        ("CREATE TABLE t (a ROW<b INT>, WATERMARK FOR a.c AS a.c)", (1, 45), "column 'a.c' is not defined"),
        (
            "CREATE TABLE t (a STRING, WATERMARK FOR a AS a)",
            (1, 41),
            "A watermark needs a TIMESTAMP(p) | 'a' is STRING.",
        ),
        ("CREATE TABLE t (a TIMESTAMP(6), WATERMARK FOR a AS a)", (1, 47), "from 0 to 3, and 'a' is TIMESTAMP(6)."),
        ("CREATE TABLE t (a TIMESTAMP(3), WATERMARK a AS a)", (1, 43), "Expected FOR, found 'a'"),
        ("CREATE TABLE t (a TIMESTAMP(3), WATERMARK FOR a)", (1, 48), "Expected '.' or AS, found ')'"),
        ("CREATE TABLE t (a INT) WITH ('b' 'c')", (1, 34), "Expected '=', found 'c'"),
        ("CREATE TABLE t (a INT) WITH ('b' = c)", (1, 36), "Put it in single quotes."),
        ("CREATE TABLE t (a INT) WITH (b.c = 'd')", (1, 30), "Expected a text in single quotes, found 'b'"),
        ("CREATE TABLE t (a INT) WITH ('b' = 'c' 'd' = 'e')", (1, 40), "Expected ',' or ')', found 'd'"),
        ("CREATE TABLE t (a INT) WITH ('b' = 'c',)", (1, 40), "found ')'"),
        ("CREATE TABLE t (a INT) WITH ('b' = 'c', ...)", (1, 41), "found '...'. | Documents leave something out"),
        ("CREATE TABLE t (a INT) PARTITIONED (a)", (1, 36), "Expected BY, found '('"),
        ("CREATE TABLE t (a INT) DISTRIBUTED INTO 0 BUCKETS", (1, 41), "Bucket count must be a positive integer."),
        ("CREATE TABLE t (a INT) DISTRIBUTED BY RANDOM(a)", (1, 39), "Expected HASH, RANGE or '(', found 'RANDOM'"),
        ("CREATE TABLE t LIKE b AS SELECT 1", (1, 23), "found 'AS'"),
        ("CREATE TABLE t LIKE b (INCLUDE ALL)", (1, 24), "Did you mean 'INCLUDING'?"),
        ("CREATE TABLE t LIKE b (INCLUDING OPTION)", (1, 34), "Did you mean 'OPTIONS'?"),
        (
            "CREATE TABLE t LIKE b (INCLUDING ALL EXCLUDING ALL)",
            (1, 38),
            "Each like option feature can be declared only once: ALL.",
        ),
        (
            "CREATE TABLE t LIKE b (OVERWRITING CONSTRAINTS)",
            (1, 24),
            "Illegal merging strategy 'OVERWRITING' for 'CONSTRAINTS' option.",
        ),
        ("CREATE TEMPORARY TABLE t AS SELECT 1", (1, 1), "does not support to create temporary table yet"),
        ("CREATE TABLE t AS", (1, 18), "Expected TABLE or a query (SELECT, WITH, VALUES), found the end"),
        ("CREATE TABLE t AS TABLE s ADD COLUMN a INT", (1, 40), "Expected AS, found 'INT'"),
        ("CREATE VIEW v SELECT 1", (1, 15), "Expected '.', '(', COMMENT or AS, found 'SELECT'"),
        ("CREATE VIEW v AS INSERT INTO t SELECT 1", (1, 18), "Expected a query"),
        ("CREATE SYSTEM FUNCTION f AS 'a'", (1, 8), "found 'SYSTEM'"),
        ("CREATE FUNCTION f AS 'm.f' LANGUAGE RUBY", (1, 37), "Expected PYTHON, JAVA, SCALA or SQL"),
        ("DROP t", (1, 6), "Expected TEMPORARY, TABLE, VIEW, CATALOG, DATABASE or FUNCTION, found 't'"),
        ("DROP TABLE IF t", (1, 15), "Expected EXISTS, | found 't'"),
        ("DROP TABLE t CASCADE", (1, 14), "found 'CASCADE'"),
        ("INSERT t SELECT 1", (1, 8), "Expected INTO, found 't'"),
        ("INSERT INTO SELECT 1", (1, 13), "as a name, write it in backticks: `SELECT`"),
        ("INSERT INTO t (a.b) SELECT 1", (1, 17), "',' or ')', found '.'"),
        ("INSERT INTO t", (1, 14), "a query (SELECT, WITH, VALUES), found the end of the text"),
        ("INSERT INTO t SELECT (1", (1, 22), "This ( is never closed."),
        ("INSERT INTO t SELECT 1)", (1, 23), "This ) closes nothing."),
        ("INSERT INTO t /*+ OPTION('a'='b') */ SELECT 1", (1, 19), "Did you mean 'OPTIONS'?"),
        ("INSERT INTO t /*+ OPTIONS('a') */ SELECT 1", (1, 30), "Expected '=', found ')'"),
        ("INSERT INTO t /*+ OPTIONS('a'='b') SELECT 1", (1, 36), "Expected '*/', found 'SELECT'"),
        ("EXECUTE STATEMENT SET BEGIN END", (1, 29), "Expected INSERT, found 'END'"),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1 END", (1, 55), "Expected ';', found the end of the text"),
        ("EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1;", (1, 52), "Expected END or INSERT, found the end"),
        ("EXECUTE STATEMENT SET BEGIN SELECT 1; END", (1, 29), "found 'SELECT'"),
        ("EXECUTE STATEMENT SET BEGIN CREATE TABLE t (a INT); END", (1, 29), "Only a CREATE TABLE ... AS"),
        ("BEGIN INSERT INTO t SELECT 1", (1, 7), "Expected STATEMENT, found 'INSERT'"),
        ("SHOW TABEL", (1, 6), "Did you mean 'TABLES'?"),
        ("SHOW TABLES db", (1, 13), "FROM, IN, NOT, LIKE, ILIKE or ';', found 'db'"),
        ("SHOW TABLES NOT 'a'", (1, 17), "Expected LIKE or ILIKE"),
        ("SHOW COLUMNS t", (1, 14), "Expected FROM or IN"),
        ("SHOW CREATE t", (1, 13), "Expected TABLE, VIEW or CATALOG, found 't'"),
        ("DESCRIBE", (1, 9), "a name, found the end of the text"),
        ("EXPLAIN CHANGELOG_MODE, CHANGELOG_MODE SELECT 1", (1, 25), "CHANGELOG_MODE is given twice."),
        ("EXPLAIN CHANGELOGMODE SELECT 1", (1, 9), "Did you mean 'CHANGELOG_MODE'?"),
        ("EXPLAIN CREATE TABLE t (a INT)", (1, 9), "Only a CREATE TABLE ... AS"),
        ("SET `a` = 'b'", (1, 5), "Put it in single quotes."),
        ("SET a.b = c d", (1, 13), "Expected ';', found 'd'"),
        ("SET a.b =", (1, 10), "Expected a text in single quotes, found the end of the text"),
        ('SET a.b = "c"', (1, 11), "single quotes"),
        ("RESET a b", (1, 9), "Expected ';', found 'b'"),
        ("SET 'a' 'b'", (1, 9), "Expected '='"),
        ("ADD JARS 'a'", (1, 5), "Did you mean 'JAR'?"),
        ("USE", (1, 4), "Expected CATALOG or a name, found the end of the text"),
        (f"USE `{'a' * 90}` b", (1, 98), "Expected '.' or ';', found 'b'"),
        (f"USE a {'b' * 90}", (1, 7), f"found '{'b' * 40}…'"),
    ],
)
def test_errors(text: str, where: tuple[int, int], words: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse(text)
    line, column = where
    assert caught.value.where.splitlines()[0] == f"line {line}, column {column}", caught.value
    said = f"{caught.value.what} {caught.value.now}"
    assert [part for part in words.split(" | ") if part not in said] == [], said


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("INSERT OVERWRITE t SELECT 1", 1, "INSERT OVERWRITE is not supported | Use INSERT INTO."),
        ("INSERT INTO t PARTITION (a = 1) SELECT 1", 15, "PARTITION is not supported"),
        ("INSERT INTO t SELECT 1 ON CONFLICT DO NOTHING", 24, "ON CONFLICT is not supported"),
        ("ALTER TABLE t ADD a INT", 1, "ALTER is not supported. | CREATE it"),
        ("CALL sys.f()", 1, "CALL is not supported."),
        ("ANALYZE TABLE t COMPUTE STATISTICS", 1, "ANALYZE is not supported."),
        ("LOAD MODULE hive", 1, "LOAD is not supported."),
        ("UNLOAD MODULE hive", 1, "UNLOAD is not supported."),
        ("USE MODULES core", 1, "USE MODULES is not supported"),
        ("DELETE FROM t", 1, "DELETE is not supported. | upsert-kafka"),
        ("UPDATE t SET a = 1", 1, "UPDATE is not supported."),
        ("TRUNCATE TABLE t", 1, "TRUNCATE is not supported."),
        ("COMPILE PLAN 'a' FOR INSERT INTO t SELECT 1", 1, "COMPILE is not supported."),
        ("EXECUTE PLAN 'a'", 1, "EXECUTE PLAN is not supported."),
        ("STOP JOB 'a'", 1, "STOP is not supported. | JobClient"),
        ("REMOVE JAR 'a'", 1, "REMOVE is not supported."),
        ("SHOW MODULES", 1, "SHOW MODULES is not supported | SHOW works with"),
        ("SHOW PARTITIONS t", 1, "SHOW PARTITIONS is not supported"),
        ("CREATE OR REPLACE TABLE t AS SELECT 1", 1, "CREATE OR REPLACE is not supported. | DROP"),
        ("REPLACE TABLE t AS SELECT 1", 1, "REPLACE is not supported."),
        ("CREATE MATERIALIZED TABLE t AS SELECT 1", 8, "CREATE MATERIALIZED is not supported."),
        ("DROP MODEL m", 6, "DROP MODEL is not supported."),
        ("CREATE TABLE t (a INT) USING CONNECTION c", 24, "USING CONNECTION is not supported."),
        ("CREATE FUNCTION f AS 'a.B'", 22, "without LANGUAGE they are in JAVA | LANGUAGE PYTHON"),
        ("CREATE FUNCTION f AS 'a.B' LANGUAGE SCALA", 37, "Functions in SCALA are not supported"),
        ("CREATE FUNCTION f AS 'a.b' LANGUAGE PYTHON USING JAR 'c'", 44, "USING JAR is not supported."),
        ("CREATE TABLE t (a RAW('b', 'c'))", 19, "RAW cannot be a column's type."),
    ],
)
def test_what_flink_has_and_this_has_not(text: str, column: int, words: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        parse(text)
    assert caught.value.where.splitlines()[0] == f"line 1, column {column}"
    assert caught.value.now
    said = f"{caught.value.what} {caught.value.now}"
    assert [part for part in words.split(" | ") if part not in said] == [], said


def test_an_error_as_it_is_printed() -> None:
    text = "CREATE TABLE t (\n  `ts` TIMESTAMP(3) METDATA FROM 'timestamp'\n) WITH ('connector' = 'kafka')"
    with pytest.raises(DefinitionError) as caught:
        parse(text)
    assert str(caught.value) == (
        "[invalid-definition] Expected WITH, WITHOUT, NOT, NULL, METADATA, CONSTRAINT, UNIQUE, PRIMARY, COMMENT, ',' or ')',"
        " found 'METDATA'.\n"
        "  at line 2, column 21\n"
        "        `ts` TIMESTAMP(3) METDATA FROM 'timestamp'\n"
        "                          ^\n"
        "  Did you mean 'METADATA'?"
    )
