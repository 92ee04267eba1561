from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import Types
from kafkastream.model.formats import ByteArraySchema, SimpleStringSchema


@given(st.text(), st.sampled_from(["UTF-8", "utf8", "UTF-16", "UTF-16LE", "UTF-32LE"]))
def test_text_comes_back_as_it_was(text: str, charset: str) -> None:
    schema = SimpleStringSchema(charset)
    assert schema.deserialize(schema.serialize(text)) == text


@given(st.binary())
def test_bytes_stay_as_they_are(data: bytes) -> None:
    assert ByteArraySchema().deserialize(ByteArraySchema().serialize(data)) is data


def test_schemas_are_values() -> None:
    assert SimpleStringSchema() == SimpleStringSchema("UTF-8")
    assert pickle.loads(pickle.dumps(SimpleStringSchema("ASCII"))) == SimpleStringSchema("ASCII")
    assert ByteArraySchema() == ByteArraySchema()


def test_schemas_know_their_type() -> None:
    assert SimpleStringSchema().get_produced_type() == Types.STRING()
    assert ByteArraySchema().get_produced_type() == Types.PRIMITIVE_ARRAY(Types.BYTE())


@pytest.mark.parametrize("charset", ["UTF-9", "hex", ""])
def test_unknown_charsets_are_refused(charset: str) -> None:
    with pytest.raises(DefinitionError, match=f"charset '{charset}' is not known"):
        SimpleStringSchema(charset)


@pytest.mark.parametrize(
    ("charset", "written", "also_read"),
    [
        ("UTF-16", b"\xfe\xff\0a", [b"\0a", b"\xff\xfea\0"]),
        ("UTF-32", b"\0\0\0a", [b"\0\0\xfe\xff\0\0\0a", b"\xff\xfe\0\0a\0\0\0"]),
    ],
)
def test_the_order_of_bytes_is_javas(charset: str, written: bytes, also_read: list[bytes]) -> None:
    schema = SimpleStringSchema(charset)
    assert schema.serialize("a") == written
    assert {schema.deserialize(data) for data in (written, *also_read)} == {"a"}


@pytest.mark.parametrize(("charset", "is_utf8"), [("utf8", True), ("UTF-8", True), ("ISO-8859-1", False)])
def test_utf8_has_many_names(charset: str, *, is_utf8: bool) -> None:
    assert SimpleStringSchema(charset).is_utf8 is is_utf8


def test_bad_bytes_fail() -> None:
    with pytest.raises(UnicodeDecodeError):
        SimpleStringSchema().deserialize(b"\xff")


def test_half_of_a_surrogate_pair_is_a_question_mark_in_utf8() -> None:
    assert SimpleStringSchema().serialize("a\ud800b") == b"a?b"
