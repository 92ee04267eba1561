"""The elements of a stream as the rows of a table: what a chain sends where a query begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final, final

import attrs
import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_type

from kafkastream.errors import JobError, UserFunctionError
from kafkastream.spark.batches import Batch, each
from kafkastream.spark.exchange import SendingOperator, dumps
from kafkastream.spark.failures import said
from kafkastream.spark.reports import ReportKind
from kafkastream.spark.tables.columnar_parts import as_bytes
from kafkastream.spark.tables.types import spark_type
from kafkastream.spark.tables.wire import KIND, column_names
from kafkastream.spec.printing import shown
from kafkastream.spec.row import Row, RowKind
from kafkastream.spec.runtime_context import RuntimeContext
from kafkastream.spec.time import Instant
from kafkastream.spec.types import TypeInformation, TypeKind
from kafkastream.sql.connectors.stream import TIMESTAMP, StreamField, StreamTableSource
from kafkastream.sql.type_information import field_names
from kafkastream.sql.types import DataType

__all__ = ["StreamRows", "sent_type"]

_MICROS: Final = 1_000_000
_MOST_DIGITS: Final = Context(prec=76, rounding=ROUND_HALF_UP)

_Convert = Callable[[Any], Any]


def sent_type(field: StreamField) -> DataType:
    """The type in which a column is sent: its own, but for an element's timestamp."""
    return TIMESTAMP if field.place is None else field.type


@final
@attrs.define(eq=False)
class StreamRows(SendingOperator):
    """Sends elements as rows; the target is the node that makes rows of them.

    Args:
        source: What the rows are.
        labels: Of all buckets, of which elements go by their own subtask's.
    """

    kind = ReportKind.WRITE
    source: StreamTableSource
    labels: Sequence[int]
    _label: int = attrs.field(default=0, init=False)
    _kinds: Sequence[pa.DataType] = attrs.field(default=(), init=False)
    _converts: Sequence[_Convert | None] = attrs.field(default=(), init=False)

    def open(self, context: RuntimeContext) -> None:
        """Know the bucket and the columns."""
        self._label = self.labels[context.get_index_of_this_subtask() % len(self.labels)]
        self._kinds = [to_arrow_type(spark_type(sent_type(field)), timezone="UTC") for field in self.source.fields]
        self._converts = [
            None if field.type_info is None else _convert(field.type_info, field.type) for field in self.source.fields
        ]

    def write(self, batch: Batch) -> None:
        """Send a batch.

        Raises:
            ElementError: An element is no row of the table.
        """
        try:
            table = self._table(batch.values, batch.timestamps)
        except Exception:
            each(lambda value, time: self._table([value], [time]), batch.values, batch.timestamps)
            raise
        self.send(self._label, dumps((as_bytes(table), None)))

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """An element is no row of the table."""
        types = ", ".join(f"{name} {field.type}" for name, field in zip(self._names, self.source.fields, strict=True))
        return UserFunctionError(
            f"an element of the stream is no row of table {self.name!r}: {said(error)}",
            where=f"{position}; element {shown(element)}",
            now=f"Give the stream the output_type that its elements have; the columns are {types}.",
        )

    @property
    def _names(self) -> list[str]:
        names = self.source.names
        return ["(timestamp)" if field.place is None else names[field.place] for field in self.source.fields]

    def _table(self, values: Sequence[Any], timestamps: Sequence[int | None]) -> pa.Table:
        if self.source.is_composite and any(value is None for value in values):
            # Flink's InputConversionOperator skips them.
            timestamps = [time for value, time in zip(values, timestamps, strict=True) if value is not None]
            values = [value for value in values if value is not None]
        kinds = [value.get_row_kind() if isinstance(value, Row) else RowKind.INSERT for value in values]
        for kind in set(kinds) - self.source.changelog.kinds:
            raise ValueError(
                f"conversion expects {self.source.changelog} records, and this one is {kind.name}: "
                "take from_changelog_stream, with the changelog mode that the rows have"
            )
        columns: Sequence[Sequence[Any]] = [values]
        if self.source.is_composite:
            names = self.source.names
            columns = list(zip(*(_parts(value, names) for value in values), strict=True)) or [()] * len(names)
        arrays = [
            pa.array(self._column(field, convert, columns, timestamps), kind)
            for field, convert, kind in zip(self.source.fields, self._converts, self._kinds, strict=True)
        ]
        numbers = pa.array([kind.value for kind in kinds], pa.int8())
        return pa.table([numbers, *arrays], [KIND, *column_names(len(arrays))])

    @staticmethod
    def _column(
        field: StreamField,
        convert: _Convert | None,
        columns: Sequence[Sequence[Any]],
        timestamps: Sequence[int | None],
    ) -> Sequence[Any]:
        if field.place is None:
            if None in timestamps:
                raise ValueError(
                    "Rowtime timestamp is not defined. Please make sure that a proper TimestampAssigner is defined"
                )
            return [None if time is None else time * 1000 for time in timestamps]
        values = columns[field.place]
        return values if convert is None else [None if value is None else convert(value) for value in values]


def _parts(value: Any, names: Sequence[str]) -> Sequence[Any]:
    """The fields of an element, or of a row within."""
    if isinstance(value, Row):
        parts: Sequence[Any] = value.get_fields_by_names(names) if hasattr(value, "_fields") else list(value)
    elif isinstance(value, Mapping):
        parts = [value[name] for name in names]
    elif isinstance(value, (tuple, list)):
        parts = value
    else:
        raise TypeError(f"it has no fields, and the columns are {', '.join(names)}")
    if len(parts) != len(names):
        raise ValueError(f"it has {len(parts)} fields, and the columns are {', '.join(names)}")
    return parts


def _convert(kind: TypeInformation[Any], type_: DataType) -> _Convert | None:
    """What Arrow takes for a value; None where that is the value."""
    match kind.kind:
        case TypeKind.INSTANT:
            return _micros
        case TypeKind.BIG_DEC:
            return _rounded(type_.size or 0, type_.scale or 0)
        case TypeKind.ROW | TypeKind.TUPLE:
            names = field_names(kind)
            converts = [_of(part, field.type) for part, field in zip(kind.elements, type_.fields, strict=True)]
            return lambda value: tuple(
                convert(part) for convert, part in zip(converts, _parts(value, names), strict=True)
            )
        case TypeKind.MAP:
            key, item = (_of(part, own) for part, own in zip(kind.elements, type_.parts, strict=True))
            return lambda value: [(key(k), item(v)) for k, v in value.items()]
        case TypeKind.PRIMITIVE_ARRAY if not type_.parts:
            return lambda value: bytes(byte & 0xFF for byte in value)
        case _ if kind.elements:
            part = _of(kind.elements[0], type_.parts[0])
            return lambda value: list(map(part, value))
        case _:
            return None


def _of(kind: TypeInformation[Any], type_: DataType) -> _Convert:
    convert = _convert(kind, type_)
    return lambda value: value if value is None or convert is None else convert(value)


def _micros(value: Instant | datetime) -> int | datetime:
    """A point in time; a ``datetime`` without a zone is of the machine's, as in PyFlink."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    return value.seconds * _MICROS + value.nanos // 1000


def _rounded(digits: int, scale: int) -> _Convert:
    """A number with so many digits behind the point, as Flink's DecimalData has it: NULL when it has too many before."""
    exponent = Decimal(1).scaleb(-scale)
    most = Decimal(10) ** (digits - scale)

    def rounded(value: Decimal) -> Decimal | None:
        exact = value.quantize(exponent, context=_MOST_DIGITS)
        return exact if abs(exact) < most else None

    return rounded
