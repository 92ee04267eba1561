"""Rules by which the JSON of records is rows."""

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
    """Rules by which records are rows.

    Args:
        conversion: How values are converted.
        follows_schema: Whether a member without a column is a misfit, so that the schema follows; otherwise it is left out.
        primitive_as_string: Whether new columns are STRING.
        fixed_types: Types of members, by name, which no value changes.
        flattens: Whether members of objects are columns.
        reads_key: Whether the key's members are columns, too.
        key_prefix: How the names of the key's columns begin.
        value_prefix: How the names of the value's columns begin.
        metadata: Columns that the record's metadata are, in their order.
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
        """The function from JSON to the members of an object."""
        return _flat_members if self.flattens else members_of


def _flat_members(data: Json) -> dict[str, msgspec.Raw] | None:
    """Return the members of an object and of the objects in it, by their names with dots between."""
    members = members_of(data)
    return None if members is None else dict(_leaves(members, ""))


def _leaves(members: Mapping[str, msgspec.Raw], within: str) -> Iterator[tuple[str, msgspec.Raw]]:
    for name, value in members.items():
        inner = members_of(value) if bytes(value)[:1] == b"{" else None
        if inner:
            yield from _leaves(inner, f"{within}{name}.")
        else:
            yield within + name, value
