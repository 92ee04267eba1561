"""Rules that map JSON records to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, final

import attrs
import msgspec

from kafkastream.cdc.rows import members_of
from kafkastream.cdc.tables import Column
from kafkastream.cdc.values import Conversion, Json
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.types import DataType

__all__ = ["RowRules"]

Members: TypeAlias = Callable[[Json], Mapping[str, msgspec.Raw] | None]


@final
@attrs.frozen(kw_only=True)
class RowRules:
    """Rules that map JSON records to rows.

    Args:
        conversion: Conversion of values.
        follows_schema: Treat a member without a column as a misfit, so that the schema is widened; otherwise ignore it.
        primitive_as_string: Infer STRING for new columns.
        fixed_types: Types of members, by name, which no value changes.
        flattens: Read members of nested objects as columns.
        reads_key: Read the key's members as columns, too.
        key_prefix: Prefix of the names of the key's columns.
        value_prefix: Prefix of the names of the value's columns.
        metadata: Metadata columns, in order.
    """

    conversion: Conversion = attrs.field(factory=Conversion)
    follows_schema: bool = True
    primitive_as_string: bool = False
    fixed_types: Mapping[str, DataType] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, DataType])
    flattens: bool = False
    reads_key: bool = False
    key_prefix: str = ""
    value_prefix: str = ""
    metadata: tuple[Column, ...] = ()

    @property
    def members(self) -> Members:
        """Function from JSON to the members of an object."""
        return _flat_members if self.flattens else members_of


def _flat_members(data: Json) -> dict[str, msgspec.Raw] | None:
    """Return the members of an object and of nested objects, with names joined by dots."""
    members = members_of(data)
    return None if members is None else dict(_leaves(members, ""))


def _leaves(members: Mapping[str, msgspec.Raw], within: str) -> Iterator[tuple[str, msgspec.Raw]]:
    for name, value in members.items():
        inner = members_of(value) if bytes(value)[:1] == b"{" else None
        if inner:
            yield from _leaves(inner, f"{within}{name}.")
        else:
            yield within + name, value
