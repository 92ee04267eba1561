from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.types import RowTypeInfo, TypeInformation, TypeKind, Types

_SCALARS: list[TypeInformation[Any]] = [
    *(Types.STRING(), Types.BYTE(), Types.BOOLEAN(), Types.SHORT(), Types.INT(), Types.LONG(), Types.FLOAT()),
    *(Types.DOUBLE(), Types.CHAR(), Types.BIG_INT(), Types.BIG_DEC(), Types.INSTANT(), Types.VOID()),
    *(Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP(), Types.PICKLED_BYTE_ARRAY()),
]


def _containers(inner: st.SearchStrategy[TypeInformation[Any]]) -> st.SearchStrategy[TypeInformation[Any]]:
    fields = st.lists(inner, max_size=3)
    return st.one_of(
        inner.map(Types.LIST),
        inner.map(Types.OBJECT_ARRAY),
        st.builds(Types.MAP, inner, inner),
        fields.map(Types.TUPLE),
        fields.map(Types.ROW),
    )


types: st.SearchStrategy[TypeInformation[Any]] = st.recursive(st.sampled_from(_SCALARS), _containers, max_leaves=5)


@given(types)
def test_a_type_survives_pickling(type_info: TypeInformation[Any]) -> None:
    twin = pickle.loads(pickle.dumps(type_info))
    assert twin == type_info
    assert hash(twin) == hash(type_info)


@given(types, types)
def test_types_that_print_alike_are_equal(left: TypeInformation[Any], right: TypeInformation[Any]) -> None:
    assert (repr(left) == repr(right)) == (left == right)


def test_every_kind_can_be_made_with_types() -> None:
    composite: set[TypeInformation[Any]] = {
        *(Types.ROW([]), Types.TUPLE([]), Types.MAP(Types.INT(), Types.INT()), Types.LIST(Types.INT())),
        *(Types.PRIMITIVE_ARRAY(Types.INT()), Types.BASIC_ARRAY(Types.INT()), Types.OBJECT_ARRAY(Types.INT())),
    }
    assert {type_info.kind for type_info in [*_SCALARS, *composite]} == set(TypeKind)


@pytest.mark.parametrize(
    ("type_info", "text"),
    [
        (Types.STRING(), "String"),
        (Types.INT(), "Integer"),
        (Types.SQL_TIMESTAMP(), "TimestampTypeInfo"),
        (Types.PICKLED_BYTE_ARRAY(), "PickledByteArrayTypeInfo"),
        (Types.LIST(Types.INT()), "ListTypeInfo<Integer>"),
        (Types.MAP(Types.STRING(), Types.LONG()), "MapTypeInfo<String, Long>"),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), "PrimitiveArrayTypeInfo<Byte>"),
        (Types.BASIC_ARRAY(Types.STRING()), "BasicArrayTypeInfo<String>"),
        (Types.OBJECT_ARRAY(Types.BIG_DEC()), "ObjectArrayTypeInfo<BigDecimal>"),
        (Types.TUPLE([Types.STRING(), Types.INT()]), "TupleTypeInfo(String, Integer)"),
        (Types.TUPLE([]), "TupleTypeInfo()"),
        (Types.ROW([Types.STRING(), Types.INT()]), "RowTypeInfo(f0: String, f1: Integer)"),
        (Types.ROW_NAMED(["name"], [Types.STRING()]), "RowTypeInfo(name: String)"),
    ],
)
def test_types_print_as_in_pyflink(type_info: TypeInformation[Any], text: str) -> None:
    assert str(type_info) == text


def test_a_row_type_knows_its_fields() -> None:
    row = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])
    assert row.get_field_names() == ["name", "age"]
    assert row.get_field_types() == [Types.STRING(), Types.INT()]
    assert (row.get_field_index("age"), row.get_field_index("x")) == (1, -1)
    assert row == RowTypeInfo([Types.STRING(), Types.INT()], ["name", "age"])


def test_rows_with_other_names_are_other_types() -> None:
    assert Types.ROW([Types.INT()]) != Types.ROW_NAMED(["a"], [Types.INT()])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "Number of field types and names is different: 2 and 1"),
        (["a", "a"], "Field names are not unique: a, a"),
    ],
)
def test_the_names_of_a_row_must_fit(names: list[str], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        Types.ROW_NAMED(names, [Types.INT(), Types.INT()])


def test_arrays_of_numbers_hold_numbers() -> None:
    with pytest.raises(DefinitionError, match="Invalid element type"):
        Types.PRIMITIVE_ARRAY(Types.STRING())
    with pytest.raises(DefinitionError, match="Invalid element type"):
        Types.BASIC_ARRAY(Types.ROW([]))


def test_a_generic_type_is_pickled() -> None:
    assert Types.GENERIC(complex).kind is TypeKind.PICKLED_BYTE_ARRAY


def test_java_beans_and_enums_are_refused_with_what_works() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"Types.ROW_NAMED"):
        Types.POJO(complex)
    with pytest.raises(UnsupportedFeatureError, match=r"Types.GENERIC"):
        Types.ENUM(TypeKind)
