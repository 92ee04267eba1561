"""``TableDescriptor`` and ``FormatDescriptor``: tables built without SQL, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.job.configuration import Value, text_of
from kafkastream.options.option import Option
from kafkastream.options.option import Option as ConfigOption
from kafkastream.secret_masking import masked_value
from kafkastream.sql.connectors import check_partitions
from kafkastream.sql.connectors.common_options import CONNECTOR
from kafkastream.sql.connectors.filesystem import FILESYSTEM
from kafkastream.sql.syntax.checks import PARTITIONS, refusal
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.types import DataType
from kafkastream.table.schema import Schema
from kafkastream.table.session.ddl_text import comment_clause, options_clause

__all__ = [
    "ConfigOption",
    "FormatDescriptor",
    "FormatDescriptorBuilder",
    "TableDescriptor",
    "TableDescriptorBuilder",
]

_FORMAT: Final = "format"
_Options = FrozenMap[str, str]


@final
@attrs.frozen(repr=False)
class FormatDescriptor:
    """Format and its options; ``str`` masks secrets.

    Example:
        >>> str(FormatDescriptor.for_format("json").option("ignore-parse-errors", "true").build())
        'json[{ignore-parse-errors=true}]'
    """

    Builder: ClassVar[type[FormatDescriptorBuilder]]

    _format: str
    _options: _Options = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str])

    @staticmethod
    def for_format(format: str) -> FormatDescriptorBuilder:  # noqa: A002 - PyFlink's name
        """Create a builder.

        Args:
            format: Identifier of the format, such as ``json``.
        """
        return FormatDescriptorBuilder(format)

    forFormat = for_format

    def get_format(self) -> str:
        """Return the identifier of the format."""
        return self._format

    getFormat = get_format

    def get_options(self) -> dict[str, str]:
        """Return the options, with keys that lack the format's prefix."""
        return dict(self._options)

    getOptions = get_options

    def __repr__(self) -> str:
        options = (f"{key}={masked_value(key, value)}" for key, value in self._options.items())
        return f"{self._format}[{{{', '.join(options)}}}]"


@final
class FormatDescriptorBuilder:
    """Builder of a ``FormatDescriptor``."""

    def __init__(self, name: str) -> None:
        self._format = name
        self._options = _Options()

    def option(self, key: str | Option[Any], value: Value) -> FormatDescriptorBuilder:
        """Set an option.

        Args:
            key: Key without the format's prefix, such as ``ignore-parse-errors``.
            value: Value; other types than ``str`` become text.
        """
        self._options = _with(self._options, key, value)
        return self

    def build(self) -> FormatDescriptor:
        """Build the descriptor."""
        return FormatDescriptor(self._format, self._options)


FormatDescriptor.Builder = FormatDescriptorBuilder


@final
@attrs.frozen(repr=False)
class TableDescriptor:
    """Anonymous table: the contents of a ``CREATE TABLE`` statement, built in Python.

    Pass it to ``create_table``, ``create_temporary_table``, ``from_descriptor`` or ``execute_insert``, which check its
    options as those of a statement. ``str`` masks secrets.

    Example:
        >>> schema = Schema.new_builder().column("id", "BIGINT").build()
        >>> print(
        ...     TableDescriptor.for_connector("kafka").schema(schema).option("topic", "orders").format("json").build()
        ... )
        (
          `id` BIGINT
        )
        WITH (
          'connector' = 'kafka',
          'topic' = 'orders',
          'format' = 'json'
        )
    """

    Builder: ClassVar[type[TableDescriptorBuilder]]

    _schema: Schema | None = None
    _options: _Options = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str])
    _comment: str | None = None
    _partition_keys: tuple[str, ...] = ()

    @staticmethod
    def for_connector(connector: str) -> TableDescriptorBuilder:
        """Create a builder.

        Args:
            connector: Identifier of the connector, such as ``kafka``.
        """
        return TableDescriptorBuilder(TableDescriptor(options=FrozenMap({CONNECTOR.key: connector})))

    forConnector = for_connector

    def get_schema(self) -> Schema | None:
        """Return the columns, or None if none were given."""
        return self._schema

    getSchema = get_schema

    def get_options(self) -> dict[str, str]:
        """Return all options, those of connector and formats included, with secrets unmasked."""
        return dict(self._options)

    getOptions = get_options

    def get_partition_keys(self) -> list[str]:
        """Return the partition columns."""
        return list(self._partition_keys)

    getPartitionKeys = get_partition_keys

    def get_comment(self) -> str | None:
        """Return the comment, or None."""
        return self._comment

    getComment = get_comment

    def to_builder(self) -> TableDescriptorBuilder:
        """Create a builder with the contents of this descriptor; Java's method, which PyFlink lacks."""
        return TableDescriptorBuilder(self)

    toBuilder = to_builder

    def _behind(self, names: Sequence[str], types: Sequence[DataType]) -> TableDescriptor:
        """Return this table, with the given physical columns first if its schema has none."""
        return attrs.evolve(self, schema=(self._schema or Schema())._behind(names, types))

    def _definition(self, name: tuple[str, ...], where: str) -> TableDefinition:
        """Return the table as a statement declares it.

        Args:
            name: Name of the table.
            where: Method that takes the descriptor, for errors.

        Raises:
            DefinitionError: The descriptor has no columns, or an invalid primary key or watermark.
        """
        if self._schema is None:
            raise DefinitionError(
                "Missing schema in TableDescriptor.", where=where, now="Give it the columns: schema(...)."
            )
        definition = TableDefinition(
            name,
            self._schema._checked(where),
            self._options,
            self._comment or "",
            partitioned_by=self._partition_keys,
        )
        check_partitions(definition, where)
        return definition

    def __repr__(self) -> str:
        schema = [str(self._schema)] if self._schema else []
        comment = [comment_clause(self._comment)] if self._comment else []
        return "\n".join((*schema, *comment, options_clause(self._options)))


@final
class TableDescriptorBuilder:
    """Builder of a ``TableDescriptor``; each setter returns the builder."""

    def __init__(self, descriptor: TableDescriptor) -> None:
        self._descriptor = descriptor

    def schema(self, schema: Schema) -> TableDescriptorBuilder:
        """Set the schema: columns, watermark and primary key."""
        return self._with(schema=schema)

    def option(self, key: str | Option[Any], value: Value) -> TableDescriptorBuilder:
        """Set an option of the connector or of a format.

        Args:
            key: Full key, such as ``properties.bootstrap.servers``, or a ``ConfigOption``.
            value: Value; other types than ``str`` become text, which PyFlink does for ``ConfigOption`` only.
        """
        return self._with(options=_with(self._descriptor._options, key, value))

    def format(
        self,
        format: str | FormatDescriptor,  # noqa: A002 - PyFlink's name
        format_option: Option[Any] | None = None,
    ) -> TableDescriptorBuilder:
        """Set a format and its options.

        Args:
            format: Identifier of the format, or ``FormatDescriptor``.
            format_option: Option to set, such as ``ConfigOptions.key("value.format")``; by default, ``format``.

        Raises:
            DefinitionError: The option's key does not end with ``format``, or keys of the format's options have its
                prefix.
        """
        described = FormatDescriptor(format) if isinstance(format, str) else format
        key = _FORMAT if format_option is None else format_option.key
        prefix = _prefix(key, described._format)
        for name in described._options:
            if name.startswith(prefix):
                raise DefinitionError(
                    f"Format options set using #format(FormatDescriptor) should not contain the prefix '{prefix}', "
                    f"but found '{name}'.",
                    where=f"format({described._format!r})",
                    now=f"Write {name.removeprefix(prefix)!r}.",
                )
        options = {prefix + name: value for name, value in described._options.items()}
        return self._with(options=self._descriptor._options | {key: described._format} | options)

    def comment(self, comment: str) -> TableDescriptorBuilder:
        """Set the comment."""
        return self._with(comment=comment)

    def partitioned_by(self, *partition_keys: str) -> TableDescriptorBuilder:
        """Set the partition columns of a ``filesystem`` table, whose values are in the names of directories.

        Args:
            partition_keys: Names of columns, the outermost directory first.

        Raises:
            DefinitionError: The table has another connector.
        """
        if partition_keys and self._descriptor._options.get(CONNECTOR.key) != FILESYSTEM.identifier:
            raise refusal(PARTITIONS, f"partitioned_by({', '.join(map(repr, partition_keys))})")
        return self._with(partition_keys=partition_keys)

    partitionedBy = partitioned_by

    def build(self) -> TableDescriptor:
        """Build the descriptor."""
        return self._descriptor

    def _with(self, **changes: Any) -> TableDescriptorBuilder:
        self._descriptor = attrs.evolve(self._descriptor, **changes)
        return self


TableDescriptor.Builder = TableDescriptorBuilder


def _with(options: _Options, key: str | Option[Any], value: Value) -> _Options:
    return options.set(key if isinstance(key, str) else key.key, text_of(value))


def _prefix(key: str, name: str) -> str:
    """Return the key prefix of a format's options: ``json.``, or ``value.json.``."""
    if key != _FORMAT and not key.endswith(f".{_FORMAT}"):
        raise DefinitionError(
            f"Format identifier key should be 'format' or suffix with '.format', don't support format identifier key '{key}'.",
            where=f"format({name!r})",
            now="Use 'key.format' or 'value.format'.",
        )
    return f"{key.removesuffix(_FORMAT)}{name}."
