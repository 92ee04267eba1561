"""Values under declared types are what PyFlink's coders make of them, but for what is listed here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkastream.common import Instant, Row, RowKind, Types
from kafkastream.model.common.coercion import MistypedError, coercion_of
from tests.differential.values.matrix import CASES, described, names

NAMES = names(Row, RowKind, Instant, Types)
GOLDEN = json.loads(Path("tests/differential/values/golden.json").read_text())["coders"]

# Where PyFlink is wrong: it counts seconds in 32 bits, rounds those before 1970 towards it, and reads past the end of a
# tuple; a CHAR of several characters passes its coder, and then fails in Java.
WRONG_THERE = {
    "datetime(1969, 12, 31, 23, 59, 59, 999999)": "= datetime.datetime(1969, 12, 31, 23, 59, 59, 999000)",
    "datetime(1960, 1, 1, 0, 0, 0, 1500)": "= datetime.datetime(1960, 1, 1, 0, 0, 0, 1000)",
    "datetime(2040, 1, 1)": "= datetime.datetime(2040, 1, 1, 0, 0)",
    "('a',)": "! ('a',) (a tuple) has 1 fields, so it is not of type TupleTypeInfo(String, Integer)",
    "''": "! '' (a str) is not of type Char",
    "'ab'": "! 'ab' (a str) is not of type Char",
}


def evaluated(text: str) -> Any:
    return eval(text, dict(NAMES))


def ours(type_text: str, value_text: str) -> str:
    coercion = coercion_of(evaluated(type_text))
    value = evaluated(value_text)
    try:
        return f"= {described(value if coercion is None else coercion.all([value])[0])}"
    except MistypedError as error:
        return f"! {error}"


def taken_only_here(type_text: str, value: object) -> bool:
    """Whether PyFlink refuses a value that has one obvious meaning, or None, which passes a chain of operators there."""
    return value is None or isinstance(value, (tuple, list, dict, Row)) or type_text == "Types.BIG_INT()"


@pytest.mark.parametrize("type_text", CASES)
def test_values_are_those_of_pyflink(type_text: str) -> None:
    for value_text, there in GOLDEN[type_text].items():
        here = ours(type_text, value_text)
        if there[0] == "!" and here[0] == "=":
            assert taken_only_here(type_text, evaluated(value_text)) or here == WRONG_THERE[value_text], value_text
        elif here != there and here[0] + there[0] != "!!":
            assert here == WRONG_THERE[value_text], value_text


@pytest.mark.parametrize("type_text", CASES)
def test_one_value_and_a_column_give_the_same(type_text: str) -> None:
    coercion = coercion_of(evaluated(type_text))
    values = [evaluated(text) for text in CASES[type_text] if ours(type_text, text)[0] == "="]
    if coercion is not None:
        one_by_one = [described(coercion.one_or_none(value)) for value in values]
        assert [described(value) for value in coercion.all(values)] == one_by_one
        assert [described(value) for value in coercion.all([value for value in values if value is not None])] == [
            one for one in one_by_one if one != "None"
        ]


def test_values_of_the_type_are_not_copied() -> None:
    for type_info, values in (
        (Types.STRING(), ["a", None]),
        (Types.LONG(), [1, None, 2]),
        (Types.ROW_NAMED(["a"], [Types.INT()]), [Row(a=1), Row(a=None)]),
        (Types.TUPLE([Types.STRING(), Types.LIST(Types.INT())]), [("a", [1]), ("b", [])]),
        (Types.MAP(Types.STRING(), Types.DOUBLE()), [{"a": 1.0}, None]),
    ):
        coercion = coercion_of(type_info)
        assert coercion is not None
        assert coercion.all(values) is values


def test_unnamed_rows_get_names_by_column() -> None:
    coercion = coercion_of(Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.FLOAT()]))
    assert coercion is not None
    assert repr(coercion.column([Row(1, 1.1), Row(None, 2)])) == "[Row(a=1, b=1.100000023841858), Row(a=None, b=2.0)]"


@pytest.mark.parametrize(
    ("type_info", "value", "message"),
    [
        (Types.INT(), "7", "'7' (a str) is not of type Integer"),
        (Types.BYTE(), 128, "128 (a int) is out of range, so it is not of type Byte"),
        (
            Types.ROW_NAMED(["n", "l"], [Types.INT(), Types.LIST(Types.STRING())]),
            Row(n=1, l=["a", 2]),
            "2 (a int) in field 1 of field 'l' is not of type String",
        ),
        (Types.MAP(Types.STRING(), Types.INT()), {1: 1}, "1 (a int) in a key is not of type String"),
        (Types.TUPLE([Types.INT(), Types.INT()]), (1,), "(1,) (a tuple) has 1 fields, so it is not of type "),
    ],
)
def test_what_does_not_fit_is_named(type_info: Any, value: object, message: str) -> None:
    coercion = coercion_of(type_info)
    assert coercion is not None
    with pytest.raises(MistypedError) as raised:
        coercion.all([value])
    assert message in str(raised.value)
