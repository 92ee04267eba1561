"""Files of a table, and the directories of its partitions."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, final
from urllib.parse import unquote

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.connectors.file_formats import FileFormat
from kafkastream.sql.printing import printed_value
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["Partitions", "TableFile", "TableFiles"]

_ESCAPED: Final = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
"""Characters that Flink's ``PartitionPathUtils`` escapes in names of directories, and U+0000, which none can have."""
_EPOCH: Final = datetime.date(1970, 1, 1)
_MIDNIGHT: Final = datetime.datetime.min  # noqa: DTZ901 - SQL's times have no zone


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


@final
@attrs.frozen
class Partitions:
    """Nested directories ``key=value`` with the values of partition columns.

    Args:
        fields: Partition columns.
        default_name: Value that represents NULL and an empty text.

    Example:
        >>> day = RowField("d", DataType.of(Kind.DATE))
        >>> partitions = Partitions((RowField("k'", DataType.string()), day))
        >>> partitions.folder(0, "a/b"), partitions.folder(0, None), partitions.folder(1, datetime.date(2020, 1, 1))
        ('k%27=a%2Fb', 'k%27=__DEFAULT_PARTITION__', 'd=18262')
        >>> partitions.values(("k%27=a%2Fb", "d=__DEFAULT_PARTITION__"), "here")
        ('a/b', None)
    """

    fields: tuple[RowField, ...] = ()
    default_name: str = "__DEFAULT_PARTITION__"

    def folder(self, place: int, value: Any) -> str:
        """Return the directory of a column's value.

        As in Flink, a DATE is written as a number of days, a TIME as a number of milliseconds.
        """
        field = self.fields[place]
        return f"{_escaped(field.name)}={_escaped(_text(value, field.type) or self.default_name)}"

    def values(self, folders: Sequence[str], where: str) -> tuple[str | None, ...]:
        """Return the values in names of directories, as text.

        Args:
            folders: Names of directories, one per column.
            where: Path of the file, for errors.

        Raises:
            DefinitionError: A directory's name does not match its column.
        """
        found = []
        for field, folder in zip(self.fields, folders, strict=True):
            key, is_there, value = folder.partition("=")
            if not is_there or unquote(key) != field.name:
                raise DefinitionError(
                    f"directory {folder!r} is not a value of the partition column {field.name!r}",
                    where=where,
                    now=f"Name the directories key=value, in the order of PARTITIONED BY ({', '.join(self.names)}).",
                )
            text = unquote(value)
            found.append(None if text == self.default_name else text)
        return tuple(found)

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return [field.name for field in self.fields]


def _text(value: Any, kind: DataType) -> str:
    if value is None:
        return ""
    match kind.kind:
        case Kind.DATE:
            return str((value - _EPOCH).days)
        case Kind.TIME:
            return str((datetime.datetime.combine(_MIDNIGHT, value) - _MIDNIGHT) // datetime.timedelta(milliseconds=1))
        case Kind.DECIMAL:
            return f"{value:f}"
        case _:
            return printed_value(value, kind)


class TableFile(NamedTuple):
    """A file of a table.

    Attributes:
        path: Path of the file.
        size: Size in bytes.
        modified_ms: Time of the last change, in ms since 1970.
        partition: Values of the partition columns, as text.
    """

    path: str
    size: int
    modified_ms: int
    partition: tuple[str | None, ...]


@final
@attrs.frozen
class TableFiles(FileFormat):
    """Lists the files of a table as elements; their content is read later.

    Args:
        base_path: Directory of the table.
        partitions: Partitions of the table.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.file_contents"
    base_path: str
    partitions: Partitions

    @property
    def produced_type(self) -> TypeInformation[Any]:
        """Return the type of the elements."""
        return Types.PICKLED_BYTE_ARRAY()

    def file(self, path: Path) -> TableFile | None:
        """Describe a file; None for one above the directories of partitions, which Flink ignores.

        Raises:
            DefinitionError: A directory of its path is not one of a partition, or too few are.
        """
        width = len(self.partitions.fields)
        folders = path.relative_to(self.base_path).parts[:-1] if width else ()
        if len(folders) < width:
            if folders:
                raise DefinitionError(
                    f"there are {width} partition columns, and the file is in {len(folders)} directories",
                    where=str(path),
                    now=f"Put it into one of each of them, key=value: {', '.join(self.partitions.names)}.",
                )
            return None
        found = path.stat()
        partition = self.partitions.values(folders[:width], str(path))
        return TableFile(str(path), found.st_size, found.st_mtime_ns // 1_000_000, partition)
