"""Tables of streams: columns, and the fields of elements that they are read from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.types import TypeInformation, TypeKind
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.connectors.split_source import Source
from kafkastream.model.graph.job_graph import CollectionSource, JobGraph, KeyedNode
from kafkastream.sql.casting import castable
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors.table_endpoints import RowsAtHand, TableSource
from kafkastream.sql.table import ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition, TableSchema
from kafkastream.sql.table_options import did_you_mean
from kafkastream.sql.table_stream import TableStream
from kafkastream.sql.type_information import column_type, field_names
from kafkastream.sql.types import DataType, Kind

__all__ = ["TIMESTAMP", "StreamField", "StreamTableSource", "stream_schema", "stream_source"]

TIMESTAMP: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)
"""Type of an element's timestamp."""

_ROWTIME: Final = "rowtime"
_COMPOSITE: Final = frozenset({TypeKind.ROW, TypeKind.TUPLE})
_ALIKE: Final = {Kind.CHAR: Kind.VARCHAR, Kind.BINARY: Kind.VARBINARY}


@final
@attrs.frozen
class StreamField:
    """A column read from elements.

    Args:
        place: Index of the field in an element; None for the element's timestamp.
        type_info: Type of the field in the stream.
        type: Type of the column.
    """

    place: int | None
    type_info: TypeInformation[Any] | None
    type: DataType


@final
@attrs.frozen
class StreamTableSource(TableSource):
    """Source of a table of a stream.

    Args:
        stream: The stream.
        fields: Columns that are not computed, in the order of the schema.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.plan.physical_plan"

    stream: TableStream
    fields: tuple[StreamField, ...]

    @property
    def changelog(self) -> ChangelogMode:
        """Return the changelog mode of the stream."""
        return self.stream.changelog

    @property
    def origin_text(self) -> str:
        """Return the same text for all streams."""
        return "a stream"

    @property
    def is_bounded(self) -> bool:
        """True if all sources of the stream stop."""
        return all(_ends(node.source) for node in self._graph.sources)

    @property
    def rows_at_hand(self) -> RowsAtHand | None:
        """Return the elements of the stream's first collection, if it has one."""
        names = [node.name for node in self._graph.sources if isinstance(node.source, CollectionSource)]
        what = "elements that the program holds itself, without state,"
        return RowsAtHand(f"stream {names[0]!r}", what, needs_state=True) if names else None

    @property
    def reads_kafka(self) -> bool:
        """True if a topic is among the sources of the stream."""
        return any(isinstance(node.source, KafkaSource) for node in self._graph.sources)

    @property
    def has_state(self) -> bool:
        """True if the stream has a keyed operator."""
        return any(isinstance(node, KeyedNode) for node in self.stream.nodes)

    @cached_property
    def _graph(self) -> JobGraph:
        return JobGraph(self.stream.nodes)

    @property
    def apart(self) -> StreamTableSource:
        """Return a copy for workers, without the nodes of the stream and the elements of collections."""
        return attrs.evolve(self, stream=attrs.evolve(self.stream, nodes=()))

    @property
    def is_composite(self) -> bool:
        """True if elements have fields; otherwise the element itself is the only column."""
        return self.stream.type_info.kind in _COMPOSITE

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the fields of elements."""
        return tuple(name for name, _ in _fields(self.stream.type_info))


def _ends(source: KafkaSource[Any] | Source[Any] | CollectionSource) -> bool:
    return source.ends if isinstance(source, CollectionSource) else source.get_boundedness() is Boundedness.BOUNDED


def _fields(type_info: TypeInformation[Any]) -> Sequence[tuple[str, TypeInformation[Any]]]:
    if type_info.kind in _COMPOSITE:
        return list(zip(field_names(type_info), type_info.elements, strict=True))
    return [("f0", type_info)]


def stream_schema(type_info: TypeInformation[Any], declared: TableSchema, where: str) -> TableSchema:
    """Return the columns of a stream's table: declared ones, after all fields of elements if none of those is declared.

    Computed columns may be of fields that are not declared; then these fields come last, and are not selected.

    Args:
        type_info: Type of the elements.
        declared: Columns that the user declares.
        where: Description of the stream, for errors.

    Raises:
        DefinitionError: A column is not a field of the elements, or has another type.
        UnsupportedFeatureError: A field has a type that SQL lacks.
    """
    types = {name: _column_type(name, kind, where) for name, kind in _fields(type_info)}
    for column in declared.columns:
        match column:
            case PhysicalColumn():
                _check_field(column, types, where)
            case MetadataColumn():
                _check_metadata(column, where)
            case ComputedColumn():
                pass
    derived = tuple(PhysicalColumn(name, kind) for name, kind in types.items())
    if not declared.physical:
        return attrs.evolve(declared, columns=(*derived, *declared.columns))
    if not any(isinstance(column, ComputedColumn) for column in declared.columns):
        return declared
    names = {column.name for column in declared.columns}
    return attrs.evolve(
        declared, columns=(*declared.columns, *(column for column in derived if column.name not in names))
    )


def _column_type(name: str, kind: TypeInformation[Any], where: str) -> DataType:
    type_ = column_type(kind)
    if type_ is None:
        raise UnsupportedFeatureError(
            f"SQL has no type for the elements' field {name!r}, whose type is {kind!r}",
            where=where,
            now="Give the stream a type that SQL has, such as map(..., output_type=Types.ROW_NAMED(['id'], [Types.LONG()])).",
        )
    return type_


def _check_field(column: PhysicalColumn, types: dict[str, DataType], where: str) -> None:
    if column.name not in types:
        raise DefinitionError(
            f"Unable to find a field named '{column.name}' in the physical data type derived from the given type "
            f"information for schema declaration. Currently available fields are: [{', '.join(types)}]",
            where=where,
            now=did_you_mean(column.name, types),
        )
    field = types[column.name]
    if not _is_like(field, column.type):
        raise DefinitionError(
            f"column '{column.name}' is declared as {column.type}, and the field of the elements is {field}",
            where=where,
            now=f"Declare it as {field}, and CAST it in a computed column or in the query.",
        )


def _is_like(field: DataType, column: DataType) -> bool:
    """Return whether a column takes the values of a field unchanged; only length or precision may differ."""
    if _ALIKE.get(field.kind, field.kind) is not _ALIKE.get(column.kind, column.kind):
        return False
    if len(field.parts) != len(column.parts) or len(field.fields) != len(column.fields):
        return False
    parts = zip(field.parts, column.parts, strict=True)
    fields = zip(field.fields, column.fields, strict=True)
    return all(_is_like(one, other) for one, other in parts) and all(
        one.name == other.name and _is_like(one.type, other.type) for one, other in fields
    )


def _check_metadata(column: MetadataColumn, where: str) -> None:
    if column.key != _ROWTIME:
        raise DefinitionError(
            f"Invalid metadata key '{column.key}' in column '{column.name}': the only metadata of a stream is '{_ROWTIME}'",
            where=where,
            now=f"column_by_metadata({column.name!r}, 'TIMESTAMP_LTZ(3)', '{_ROWTIME}') is an element's timestamp.",
        )
    if not castable(TIMESTAMP, column.type):
        raise DefinitionError(
            f"Invalid data type for metadata column '{column.name}': {column.type} is not castable from {TIMESTAMP}",
            where=where,
            now=f"Declare it as {TIMESTAMP}.",
        )


def stream_source(definition: TableDefinition, stream: TableStream) -> StreamTableSource:
    """Return the source of a stream's table, with the fields of its columns."""
    fields = _fields(stream.type_info)
    places = {name: place for place, (name, _) in enumerate(fields)}

    def field(column: PhysicalColumn | MetadataColumn) -> StreamField:
        if isinstance(column, MetadataColumn):
            return StreamField(None, None, column.type)
        place = places[column.name]
        return StreamField(place, fields[place][1], column.type)

    columns = definition.schema.columns
    return StreamTableSource(stream, tuple(field(one) for one in columns if not isinstance(one, ComputedColumn)))
