"""Which records ``scan.header-filter`` keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.sql.connectors.header_filter import (
    HeaderCondition,
    HeaderFilter,
    HeaderOperator,
    header_filter,
)

TOY, BOOK, TEST = ("depart", b"toy"), ("depart", b"book"), ("env", b"test")


def test_a_filter_is_its_conditions_from_left_to_right() -> None:
    assert header_filter("depart:toy|depart:book&!env:test") == HeaderFilter(
        HeaderCondition("depart", "toy"),
        (
            (HeaderOperator.OR, HeaderCondition("depart", "book")),
            (HeaderOperator.AND, HeaderCondition("env", "test", is_negated=True)),
        ),
    )


@pytest.mark.parametrize(
    ("text", "headers", "kept"),
    [
        ("depart:toy", (TOY,), True),
        ("depart:toy", (BOOK,), False),
        ("depart:toy", (), False),
        ("depart:toy", (("depart", None),), False),
        ("depart:toy", (("Depart", b"toy"),), False),
        ("!depart:toy", (BOOK,), True),
        ("!depart:toy", (), True),
        ("!depart:toy", (TOY,), False),
        ("depart:toy", (BOOK, TOY), True),
        ("!depart:toy", (BOOK, TOY), False),
        ("depart:toy|depart:book&!env:test", (TOY,), True),
        ("depart:toy|depart:book&!env:test", (TOY, TEST), False),
        ("env:test&depart:toy|depart:book", (BOOK,), True),
        ("env:test&depart:toy|depart:book", (TEST,), False),
        ("at:12:30", (("at", b"12:30"),), True),
        ("name:", (("name", b""),), True),
        ("name:Zoë", (("name", "Zoë".encode()),), True),
        ("name:Zoë", (("name", b"Zo\xeb"),), False),
        (" depart:toy & env : test ", (TOY, TEST), True),
    ],
)
def test_records_are_kept(text: str, headers: Headers, kept: bool) -> None:
    assert header_filter(text).matches(headers) is kept


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected key:value"),
        ("depart", "expected key:value"),
        (":toy", "expected key:value"),
        ("!", "expected key:value"),
        ("!!depart:toy", "expected key:value"),
        ("depart:toy&", "expected key:value"),
        ("depart:toy||env:test", "expected key:value"),
        ("(depart:toy)&env:test", "parentheses are not supported"),
    ],
)
def test_what_is_no_filter(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        header_filter(text)


words = st.text(st.sampled_from("abc.-"), min_size=1, max_size=3)
conditions = st.builds(HeaderCondition, words, words, st.booleans())
others = st.lists(st.tuples(st.sampled_from(HeaderOperator), conditions), max_size=4).map(tuple)


@given(st.builds(HeaderFilter, conditions, others))
def test_a_filter_is_read_as_it_is_written(written: HeaderFilter) -> None:
    assert header_filter(str(written)) == written
