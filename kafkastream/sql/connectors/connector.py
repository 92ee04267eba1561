"""Connector: its identifier and options, and errors about unknown or missing ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import integer, positive, text
from kafkastream.sql.table_options import Declaration, GivenOptions, TableOptions, did_you_mean

__all__ = ["CONNECTOR", "SCAN_PARALLELISM", "SINK_PARALLELISM", "Connector", "check_no_written_metadata"]

log = logging.getLogger("kafkastream")

CONNECTOR: Final = Option[str | None](
    key="connector",
    parse=text,
    default=None,
    doc="Identifier of the table's connector.",
)
PROPERTY_VERSION: Final = Option[int](
    key="property-version",
    parse=integer,
    default=1,
    doc="Version of the options. No effect: only one exists.",
)
SCAN_PARALLELISM: Final = Option[int | None](
    key="scan.parallelism",
    parse=positive,
    default=None,
    doc="Number of subtasks that read; by default, the job's parallelism.",
)
SINK_PARALLELISM: Final = Option[int | None](
    key="sink.parallelism",
    parse=positive,
    default=None,
    doc="Number of subtasks that write; by default, that of the operator before the sink.",
)
_COMMON: Final = (CONNECTOR, PROPERTY_VERSION)
_DEW: Final = "dew."
_IGNORED: Final = "aliyun.kafka."


@final
@attrs.frozen
class Connector:
    """Options of a connector, or of a type of catalogs.

    Args:
        identifier: Value of ``connector``, or of ``type`` for a catalog.
        own: Options of its own.
        required: Options among them that are required.
        common: Options of all connectors; none for a catalog.
    """

    identifier: str
    own: tuple[Option[Any] | OptionFamily, ...]
    required: tuple[Option[Any], ...] = ()
    common: tuple[Option[Any], ...] = _COMMON

    @property
    def options(self) -> tuple[Option[Any] | OptionFamily, ...]:
        """Return all its options."""
        return (*self.common, *self.own)

    def check(self, options: GivenOptions[Declaration], more: Iterable[str] = ()) -> None:
        """Check for unknown options and for missing ones.

        Args:
            options: Given options.
            more: Further valid keys, of formats or of fields; ``x.*`` matches all that begin with ``x.``.

        Raises:
            DefinitionError: Options are missing, or unknown.
            UnsupportedFeatureError: A secret is stored in Huawei's service.
        """
        _check_secrets(options)
        missing = [option.key for option in self.required if not options.has(option)]
        if missing:
            raise options.missing(missing)
        supported = {*self._keys(), *more}
        unsupported = sorted(key for key in options.values if not _is_among(key, supported))
        ignored = [key for key in unsupported if key.startswith(_IGNORED)]
        for key in ignored:
            log.warning("%s: ignored, only ApsaraMQ for Kafka has it", options.where(key))
        unknown = [key for key in unsupported if key not in ignored]
        if unknown:
            raise options.refusal(
                f"Unsupported options found for '{self.identifier}'. Unsupported options: {', '.join(unknown)}. "
                f"Supported options: {', '.join(sorted(supported))}.",
                unknown[0],
                now=did_you_mean(unknown[0], supported),
            )

    def _keys(self) -> Iterator[str]:
        for option in self.options:
            yield from (option.key,) if isinstance(option, OptionFamily) else option.keys


def check_no_written_metadata(options: TableOptions) -> None:
    """Refuse metadata columns that are not VIRTUAL, for sinks without metadata.

    Raises:
        DefinitionError: There is such a column.
    """
    definition = options.definition
    persisted = [column.name for column in definition.schema.metadata if not column.is_virtual]
    if persisted:
        raise options.column_refusal(
            f"Table '{definition.identifier}' declares persistable metadata columns, but the underlying "
            "DynamicTableSink doesn't implement the SupportsWritingMetadata interface. If the column should not be "
            "persisted, it can be declared with the VIRTUAL keyword.",
            persisted[0],
        )


def _is_among(key: str, supported: Iterable[str]) -> bool:
    return any(key == one or (one.endswith("*") and key.startswith(one[:-1])) for one in supported)


def _check_secrets(options: GivenOptions[Declaration]) -> None:
    secrets = [key for key in options.values if key.startswith(_DEW)]
    if secrets:
        fields = options.values.get(f"{_DEW}csms.decrypt.fields") or "properties.sasl.jaas.config"
        example = fields.split(";")[0].split(",")[0].strip()
        raise UnsupportedFeatureError(
            f"{', '.join(secrets)}: secrets in Huawei's Data Encryption Workshop cannot be read here",
            where=options.where(secrets[0]),
            now=f"Leave out 'dew.*' and write '{example}' = '${{env:NAME}}', a variable, or '${{file:PATH}}', a file.",
        )
