"""What CREATE TABLE ... AS TABLE reads: names and options as they are, whatever is in them."""

from __future__ import annotations

from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable, Query
from kafkastream.table.session.statements import all_of


def test_names_and_options_are_quoted_again() -> None:
    options = "OPTIONS('csv.quote-character'='''', 'csv.null-literal'='`')"
    created = parse_one(f"CREATE TABLE t AS TABLE db.`a``b` /*+ {options} */ ADD COLUMN (`c``d` AS 'it''s')")
    assert isinstance(created, CreateTable)
    query = all_of(created)
    assert query.text == f"SELECT *, 'it''s' AS `c``d` FROM `db`.`a``b` /*+ {options} */"
    assert isinstance(parse_one(query.text), Query)
