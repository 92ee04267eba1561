"""Tables without SQL, at PyFlink's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap, is_secret
from kafkastream.model.job.configuration import Value, text_of
from kafkastream.options.option import Option
from kafkastream.options.option import Option as ConfigOption
from kafkastream.sql.connectors import check_partitions
from kafkastream.sql.connectors.filesystem import FILESYSTEM
from kafkastream.sql.syntax.checks import PARTITIONS, refusal
from kafkastream.sql.table import TableDefinition
from kafkastream.sql.types import DataType
from kafkastream.table.declared import declared_comment, declared_options
from kafkastream.table.schema import Schema

__all__ = [
    "ConfigOption",
    "FormatDescriptor",
    "FormatDescriptorBuilder",
    "TableDescriptor",
    "TableDescriptorBuilder",
]

_CONNECTOR: Final = "connector"
_FORMAT: Final = "format"
_Options = FrozenMap[str, str]


@final
@attrs.frozen(repr=False)
class FormatDescriptor:
    """A format and its options.

    Same as PyFlink's; ``str`` hides secrets.

    Example:
        >>> str(FormatDescriptor.for_format("json").option("ignore-parse-errors", "true").build())
        'json[{ignore-parse-errors=true}]'
    """

    Builder: ClassVar[type[FormatDescriptorBuilder]]

    _format: str
    _options: _Options = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str])

    @staticmethod
    def for_format(format: str) -> FormatDescriptorBuilder:  # noqa: A002 - PyFlink's name
        """Begin to describe a format, by the name that SQL has for it."""
        return FormatDescriptorBuilder(format)

    forFormat = for_format

    def get_format(self) -> str:
        """Its name."""
        return self._format

    getFormat = get_format

    def get_options(self) -> dict[str, str]:
        """Its options, without the format's name in front."""
        return dict(self._options)

    getOptions = get_options

    def __repr__(self) -> str:
        options = (f"{key}={'***' if is_secret(key) else value}" for key, value in self._options.items())
        return f"{self._format}[{{{', '.join(options)}}}]"


@final
class FormatDescriptorBuilder:
    """Collects the options of a ``FormatDescriptor``."""

    def __init__(self, name: str) -> None:
        self._format = name
        self._options = _Options()

    def option(self, key: str | Option[Any], value: Value) -> FormatDescriptorBuilder:
        """Set an option, by its key without the format's name in front."""
        self._options = _with(self._options, key, value)
        return self

    def build(self) -> FormatDescriptor:
        """The description."""
        return FormatDescriptor(self._format, self._options)


FormatDescriptor.Builder = FormatDescriptorBuilder


@final
@attrs.frozen(repr=False)
class TableDescriptor:
    """A table without its name: what ``CREATE TABLE`` says, built in Python.

    Same as PyFlink's; ``str`` hides secrets. Give it to ``create_table``, ``create_temporary_table``, ``from_descriptor`` or
    ``execute_insert``; what it says is checked there, as that of a statement is.

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
        """Begin to describe a table of a connector, by the name that SQL has for it."""
        return TableDescriptorBuilder(TableDescriptor(options=FrozenMap({_CONNECTOR: connector})))

    forConnector = for_connector

    def get_schema(self) -> Schema | None:
        """Its columns, if given."""
        return self._schema

    getSchema = get_schema

    def get_options(self) -> dict[str, str]:
        """Its options, with the connector and those of formats; secrets, too."""
        return dict(self._options)

    getOptions = get_options

    def get_partition_keys(self) -> list[str]:
        """The columns whose values are in the names of directories."""
        return list(self._partition_keys)

    getPartitionKeys = get_partition_keys

    def get_comment(self) -> str | None:
        """What is said about it."""
        return self._comment

    getComment = get_comment

    def to_builder(self) -> TableDescriptorBuilder:
        """Begin to describe another table like this one; PyFlink lacks it."""
        return TableDescriptorBuilder(self)

    toBuilder = to_builder

    def _behind(self, names: Sequence[str], types: Sequence[DataType]) -> TableDescriptor:
        """This table; with the columns of rows in front, if it has no physical ones."""
        return attrs.evolve(self, schema=(self._schema or Schema())._behind(names, types))

    def _definition(self, name: tuple[str, ...], where: str) -> TableDefinition:
        """The table as a statement declares it.

        Args:
            name: Its name.
            where: What it is given to, for errors.

        Raises:
            DefinitionError: It has no columns, or its primary key or watermark does not fit them.
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
        comment = [declared_comment(self._comment)] if self._comment else []
        return "\n".join((*schema, *comment, declared_options(self._options)))


@final
class TableDescriptorBuilder:
    """Collects what a ``TableDescriptor`` says."""

    def __init__(self, descriptor: TableDescriptor) -> None:
        self._descriptor = descriptor

    def schema(self, schema: Schema) -> TableDescriptorBuilder:
        """Set the columns."""
        return self._with(schema=schema)

    def option(self, key: str | Option[Any], value: Value) -> TableDescriptorBuilder:
        """Set an option by its full key.

        Args:
            key: The key, or what ``ConfigOptions`` declares.
            value: Its value; what is no text becomes text, which PyFlink does for ``ConfigOption`` only.
        """
        return self._with(options=_with(self._descriptor._options, key, value))

    def format(
        self,
        format: str | FormatDescriptor,  # noqa: A002 - PyFlink's name
        format_option: Option[Any] | None = None,
    ) -> TableDescriptorBuilder:
        """Set a format with its options.

        Args:
            format: The format's name, or its description.
            format_option: Which of the table's formats, such as ``ConfigOptions.key("value.format")``; ``format`` if not given.

        Raises:
            DefinitionError: The option's key is not that of a format, or the format's options begin with its name.
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
        """Say something about the table."""
        return self._with(comment=comment)

    def partitioned_by(self, *partition_keys: str) -> TableDescriptorBuilder:
        """Keep the values of columns in the names of directories; for tables of the connector ``filesystem``.

        Raises:
            DefinitionError: The table is of another connector.
        """
        if partition_keys and self._descriptor._options.get(_CONNECTOR) != FILESYSTEM.identifier:
            raise refusal(PARTITIONS, f"partitioned_by({', '.join(map(repr, partition_keys))})")
        return self._with(partition_keys=partition_keys)

    partitionedBy = partitioned_by

    def build(self) -> TableDescriptor:
        """The description."""
        return self._descriptor

    def _with(self, **changes: Any) -> TableDescriptorBuilder:
        self._descriptor = attrs.evolve(self._descriptor, **changes)
        return self


TableDescriptor.Builder = TableDescriptorBuilder


def _with(options: _Options, key: str | Option[Any], value: Value) -> _Options:
    return options.set(key if isinstance(key, str) else key.key, text_of(value))


def _prefix(key: str, name: str) -> str:
    """What stands before the options of a format: ``json.``, or ``value.json.``."""
    if key != _FORMAT and not key.endswith(f".{_FORMAT}"):
        raise DefinitionError(
            f"Format identifier key should be 'format' or suffix with '.format', don't support format identifier key '{key}'.",
            where=f"format({name!r})",
            now="Use 'key.format' or 'value.format'.",
        )
    return f"{key.removesuffix(_FORMAT)}{name}."
