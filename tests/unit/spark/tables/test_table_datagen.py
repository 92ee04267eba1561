"""Rows that are made up."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from kafkastream.spark.plan.generated_rows import generated
from kafkastream.sql.connectors import DataGenTableSource, source_of
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = (
    "i INT, n BIGINT, t TINYINT, f FLOAT, d DOUBLE, p DECIMAL(7, 2), s STRING, v VARCHAR(9), b BYTES, x BOOLEAN, "
    "dt DATE, tm TIME(3), ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), a ARRAY<INT>, m MAP<STRING, INT>, q MULTISET<INT>, "
    "r ROW<k INT, s STRING>, z INT, sq STRING, st DECIMAL(5, 1)"
)
OPTIONS = {
    "i.min": "1", "i.max": "3", "d.min": "-2.5", "d.max": "-1", "v.var-len": "true", "b.length": "4",
    "ts.max-past": "1 d", "a.element.min": "7", "a.element.max": "7", "m.length": "2", "m.key.length": "5",
    "r.k.null-rate": "1", "z.null-rate": "0.5", "sq.kind": "sequence", "sq.start": "5", "sq.end": "900",
    "st.kind": "sequence", "st.start": "-1", "st.end": "298",
}  # fmt: skip


def source(columns: str = COLUMNS, **more: str) -> DataGenTableSource:
    given = {
        "connector": "datagen",
        **{f"fields.{key}": value for key, value in (more or OPTIONS).items()},
    }
    texts = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    statement = parse_one(f"CREATE TABLE g ({columns}) WITH ({texts})")
    assert isinstance(statement, CreateTable)
    found = source_of(statement.definition)
    assert isinstance(found, DataGenTableSource)
    return found


def test_values_of_all_types(session: SparkSession) -> None:
    made = source()
    assert made.within(0, None) == range(300)
    rows = generated(made, session.range(300)).collect()
    columns = dict(zip([column.name for column in made.columns], zip(*rows, strict=True), strict=True))
    assert set(columns["i"]) == {1, 2, 3}
    assert min(columns["n"]) < -(2**62) < 2**62 < max(columns["n"])
    assert min(columns["t"]) < -100
    assert max(columns["t"]) > 100
    assert 0 < min(columns["f"]) < max(columns["f"])
    assert -2.5 <= min(columns["d"]) < max(columns["d"]) <= -1
    assert 0 < min(columns["p"]) < 50_000 < max(columns["p"])
    assert all(re.fullmatch("[0-9a-f]{100}", text) for text in columns["s"])
    assert {len(text) for text in columns["v"]} == set(range(1, 10))
    assert len(set(columns["s"])) == 300
    assert {len(data) for data in columns["b"]} == {4}
    assert set(columns["x"]) == {True, False}
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    ages = [now - at for at in columns["ts"]]
    assert min(ages) > datetime.timedelta(seconds=-1)
    assert datetime.timedelta(hours=20) < max(ages) < datetime.timedelta(hours=25)
    assert {len(set(columns[name])) for name in ("dt", "tm", "l")} == {1}
    assert columns["a"][0] == [7, 7, 7]
    assert all(len(key) == 5 for found in columns["m"] for key in found)
    assert len(columns["m"][0]) == 2
    assert all(0 <= number <= 10 for found in columns["q"] for number in found.values())
    assert {row["k"] for row in columns["r"]} == {None}
    assert 90 < columns["z"].count(None) < 210
    assert columns["sq"][:2] == ("5", "6")
    assert (columns["st"][0], columns["st"][299]) == (-1, 298)


def test_rows_go_on(session: SparkSession) -> None:
    made = source("n INT", **{"n.kind": "sequence", "n.start": "1", "n.end": "25000"})
    assert [len(made.within(second, second + 1)) for second in range(4)] == [10_000, 10_000, 5_000, 0]
    assert [row.c0 for row in generated(made, session.range(9_999, 10_001)).collect()] == [10_000, 10_001]
