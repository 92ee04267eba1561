"""Rows as COPY reads them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from kafkastream.postgres.csv_rows import TextRefusedError, csv_blocks, value_converter


def written(*rows: tuple[Any, ...]) -> str:
    return b"".join(csv_blocks(rows)).decode()


def test_null_is_empty_and_text_is_quoted() -> None:
    assert written((None, "", "NULL", 'a "b"', "\\N"), (None,) * 5) == ',"","NULL","a ""b""","\\N"\n,,,,\n'


def test_numbers_are_exact() -> None:
    assert written((2**63 - 1, 0.1, 1e300, Decimal("1.50"), True)) == "9223372036854775807,0.1,1e+300,1.50,True\n"


def test_row_of_one_null_is_an_empty_line() -> None:
    assert written((None,), ("",)) == '\n""\n'


def test_many_rows_are_written_in_blocks() -> None:
    blocks = list(csv_blocks((number,) for number in range(5000)))
    assert len(blocks) > 1
    assert b"".join(blocks) == b"".join(b"%d\n" % number for number in range(5000))


@pytest.mark.parametrize("character", ["\0", "\ud83d"], ids=ascii)
def test_character_that_postgres_does_not_take_is_found(character: str) -> None:
    with pytest.raises(TextRefusedError) as raised:
        written((1, "fine", None), (2, None, f"not {character} fine"))
    assert (raised.value.character, raised.value.column) == (character, 2)


def test_bytes_and_truth_values_for_texts_are_converted() -> None:
    convert = value_converter([0], [2])
    assert convert is not None
    assert [convert((b"\x00\xff", 1, True)), convert((b"", 1, False)), convert((None, 1, None))] == [
        ("\\x00ff", 1, "true"),
        ("\\x", 1, "false"),
        (None, 1, None),
    ]
    assert value_converter([], []) is None
