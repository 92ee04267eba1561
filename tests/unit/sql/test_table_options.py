"""Options of a table: what they refer to, how they are read, where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import integer
from kafkastream.sql.option_references import resolved_options
from kafkastream.sql.table import TableDefinition, TableSchema
from kafkastream.sql.table_options import TableOptions, did_you_mean
from tests.unit.sql.tables import at, table

RETRIES = Option[int](key="retries", parse=integer, default=3, doc="How often to try.", deprecated_keys=("tries",))
PROPERTIES = OptionFamily(prefix="properties.", doc="For the client.")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain $text {}", "plain $text {}"),
        ("${env:USER}", "ann"),
        ("user=${env:USER};password=${env:PW}", "user=ann;password=${env:USER}"),
        ("${other:USER}", "${other:USER}"),
    ],
)
def test_variables(text: str, value: str) -> None:
    assert resolved_options({"a": text}, {"USER": "ann", "PW": "${env:USER}"}) == {"a": value}


@pytest.mark.parametrize(
    ("content", "value"), [("pw\n", "pw"), ("pw\r\n", "pw"), ("two\nlines", "two\nlines"), ("", "")]
)
def test_files(tmp_path: Path, content: str, value: str) -> None:
    file = tmp_path / "secret"
    file.write_bytes(content.encode())
    assert resolved_options({"a": f"<${{file:{file}}}>"}, {}) == {"a": f"<{value}>"}


def test_what_is_not_there(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    for text, reason in [
        ("${env:NO}", "there is no environment variable 'NO'"),
        (f"${{file:{tmp_path}/no}}", "cannot be read: No such file"),
        (f"${{file:{tmp_path}}}", "cannot be read: Is a directory"),
        (f"${{file:{binary}}}", "cannot be read: it is not UTF-8"),
    ]:
        options = {"retries": "1", "topic": text}
        with pytest.raises(DefinitionError, match=reason) as caught:
            TableOptions.of(table(options), {})
        assert at(options, "topic") in str(caught.value)
    with pytest.raises(DefinitionError, match="option 'topic'"):
        resolved_options({"topic": "${env:NO}"}, {})


def test_the_process_has_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KS_RETRIES", "7")
    assert TableOptions.of(table({"retries": "${env:KS_RETRIES}"})).get(RETRIES) == 7


@pytest.mark.parametrize(
    ("options", "value"),
    [({}, 3), ({"retries": "5"}, 5), ({"tries": "6"}, 6), ({"tries": "6", "retries": "5"}, 5)],
)
def test_an_option_is_read_by_any_of_its_names(options: dict[str, str], value: int) -> None:
    assert TableOptions.of(table(options)).get(RETRIES) == value


def test_the_first_prefix_that_is_given_counts() -> None:
    options = TableOptions.of(table({"a.retries": "1", "b.tries": "2"}))
    assert (options.get(RETRIES, ("b.", "a.")), options.get(RETRIES, ("c.", "a."))) == (2, 1)
    assert options.spelling(RETRIES, ("b.",)) == "b.tries"
    assert not options.has(RETRIES)


def test_a_family() -> None:
    options = TableOptions.of(table({"properties.a.b": "1", "value.x.properties.c": "2"}))
    assert options.under(PROPERTIES) == {"a.b": "1"}
    assert options.under(PROPERTIES, ("value.x.", "x.")) == {"c": "2"}


def test_a_wrong_value_says_what_where_and_what_now() -> None:
    options = {"connector": "kafka", "tries": "many"}
    with pytest.raises(DefinitionError) as caught:
        TableOptions.of(table(options)).get(RETRIES)
    assert str(caught.value).splitlines() == [
        "[invalid-definition] Unsupported value 'many' for 'tries': expected a whole number",
        "  at table default_catalog.default_database.orders, option 'tries', line 11, column 3",
        "  How often to try.",
    ]


def test_a_secret_is_not_shown() -> None:
    count = Option[int](key="password", parse=integer, default=0, doc="No good idea.")
    with pytest.raises(DefinitionError) as caught:
        TableOptions.of(table({"password": "hunter2"})).get(count)
    assert "Unsupported value '***' for 'password'" in str(caught.value)


def test_a_place_is_named_also_without_positions() -> None:
    options = TableOptions.of(TableDefinition(("db", "t"), TableSchema(), {"a": "b"}))
    assert options.where("a") == "table default_catalog.db.t, option 'a'"
    assert options.where() == "table default_catalog.db.t"


def test_errors_of_values_get_the_place() -> None:
    options = TableOptions.of(table({"a": "b"}))
    for kind in (DefinitionError, UnsupportedFeatureError):
        with pytest.raises(kind) as caught, options.reading("a"):
            raise kind("no", where="elsewhere", now="Try.")
        assert (caught.value.what, caught.value.where, caught.value.now) == ("no", options.where("a"), "Try.")


@pytest.mark.parametrize(("word", "question"), [("kafak", "Did you mean 'kafka'?"), ("mysql", "")])
def test_the_closest_word(word: str, question: str) -> None:
    assert did_you_mean(word, ["kafka", "upsert-kafka", "print"]) == question
