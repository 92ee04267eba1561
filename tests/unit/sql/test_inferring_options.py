"""Options of tables that are for columns which are inferred."""

from __future__ import annotations

import pytest

from kafkastream.sql.connectors import source_of
from tests.unit.sql.tables import error, physical, table

JSON = {
    "connector": "kafka",
    "topic": "t",
    "properties.bootstrap.servers": "b:1",
    "scan.startup.mode": "earliest-offset",
    "format": "json",
}
FLATTEN = {"json.infer-schema.flatten-nested-columns.enable": "true"}


@pytest.mark.parametrize(
    ("options", "columns", "is_told"),
    [
        (FLATTEN, ("plain",), True),
        (FLATTEN, ("outer.inner",), False),
        ({"json.infer-schema.primitive-as-string": "true"}, ("outer.inner",), True),
        ({"json.infer-schema.primitive-as-string": "false"}, ("plain",), False),
    ],
)
def test_what_has_no_effect_is_told(
    options: dict[str, str], columns: tuple[str, ...], is_told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    source_of(table({**JSON, **options}, [physical(name) for name in columns]))
    said = f"{next(iter(options)).removeprefix('json.')} has no effect; the columns are those that are declared"
    assert (said in caplog.text) is is_told


def test_a_column_cannot_have_members_that_are_columns() -> None:
    said = error(source_of, table({**JSON, **FLATTEN}, [physical("a"), physical("a.b")]))
    assert "The member 'a' is a column, and so are members of it." in said
