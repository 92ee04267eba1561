"""Accumulator of JSON_OBJECTAGG: members whose values are JSON already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from kafkastream.errors import DefinitionError
from kafkastream.operators.table.aggregates.accumulator import Accumulator, Maker
from kafkastream.sql.plan.operations import AggregateFunction

__all__ = ["OF_JSON"]

_ESCAPED: Final = str.maketrans(
    {
        **{chr(code): f"\\u{code:04X}" for code in range(0x20)},
        **dict(zip('\b\t\n\f\r"\\', (r"\b", r"\t", r"\n", r"\f", r"\r", r"\"", r"\\"), strict=True)),
    }
)
"""Escapes in JSON, with the digits in upper case as Jackson writes them."""

Member = tuple["str | None", "str | None"]
"""A key, and the JSON of its value; None for a member that is absent."""


@final
class _Members(Accumulator):
    """JSON_OBJECTAGG: a member for each row, sorted by key."""

    def new(self) -> dict[str, str]:
        return {}

    def add(self, accumulator: dict[str, str], value: Member, sign: int) -> dict[str, str]:
        key, text = value
        if key is None:
            raise DefinitionError(
                "A key of JSON_OBJECTAGG is NULL.", now="Leave such rows out by WHERE, or COALESCE the key."
            )
        if sign > 0:
            _check_new_key(accumulator, key)
            if text is not None:
                accumulator[key] = text
        elif text is not None and accumulator.get(key) == text:
            del accumulator[key]
        return accumulator

    def merge(self, accumulator: dict[str, str], partial: dict[str, str]) -> dict[str, str]:
        for key, text in partial.items():
            _check_new_key(accumulator, key)
            accumulator[key] = text
        return accumulator

    def result(self, accumulator: dict[str, str]) -> str:
        keys = sorted(accumulator, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{_quote(key)}:{accumulator[key]}' for key in keys)}}}"


def _check_new_key(accumulator: Mapping[str, str], key: str) -> None:
    if key in accumulator:
        raise DefinitionError(
            f"Key {key!r} is already present. Duplicate keys are not allowed in JSON_OBJECTAGG.",
            now="Make keys of the columns that tell the rows of a group apart.",
        )


def _quote(key: str) -> str:
    return f'"{key.translate(_ESCAPED)}"'


OF_JSON: Final[Mapping[AggregateFunction, Maker]] = {AggregateFunction.JSON_OBJECTAGG: lambda _, __: _Members()}
