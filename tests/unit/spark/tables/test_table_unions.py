"""All rows of several frames, of which only some tell what kind of row it is, or whether it is one of the query's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkastream.spark.plan.physical_plan import _united

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_rows_that_say_nothing_are_new_and_kept(session: SparkSession) -> None:
    marked = session.sql("SELECT false AS __kept, 'a' AS c0")
    changing = session.sql("SELECT 3Y AS __kind, 'b' AS c0")
    plain = session.sql("SELECT 'c' AS c0")
    assert sorted(_united([marked, changing, plain]).select("c0", "__kind", "__kept").collect()) == [
        ("a", 0, False),
        ("b", 3, True),
        ("c", 0, True),
    ]
    assert _united([plain, plain]).columns == ["c0"]
