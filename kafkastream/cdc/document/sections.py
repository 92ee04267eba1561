"""Sections of a document as options, with their positions, and checks of their keys."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from kafkastream.cdc.document.tree import SECTIONS
from kafkastream.cdc.spec.kafka_sink import KAFKA_SINK, TOPIC_MAPPING
from kafkastream.cdc.spec.section import TYPE, Entry, ListNode, MapNode, Scalar, Section, SectionOptions, SectionType
from kafkastream.cdc.spec.sinks import SINKS
from kafkastream.cdc.spec.sources import SOURCES
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.options.parsers import ListOf
from kafkastream.secret_masking import Secret
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.table import Position
from kafkastream.sql.table_options import did_you_mean

__all__ = ["declared_type", "maps_of", "moved_mapping", "section_options"]

log = logging.getLogger("kafkastream")

T = TypeVar("T")

_DATABASES: Final = frozenset(
    [
        "db2",
        "mariadb",
        "maxcompute",
        "mongodb",
        "mysql",
        "oceanbase",
        "oracle",
        "polardb",
        "postgres",
        "postgresql",
        "sqlserver",
        "tidb",
        "vitess",
    ]
)
_WAREHOUSES: Final = frozenset(
    [
        "clickhouse",
        "doris",
        "elasticsearch",
        "fluss",
        "hudi",
        "iceberg",
        "maxcompute",
        "mysql",
        "oceanbase",
        "paimon",
        "starrocks",
        "upsert-kafka",
    ]
)


def declared_type(name: str, document: str, node: MapNode) -> SectionType[Any]:
    """Return the type of a source or sink.

    Args:
        name: ``source`` or ``sink``.
        document: Name of the document, for errors.
        node: Contents of the section.

    Raises:
        DefinitionError: The type is missing or unknown.
        UnsupportedFeatureError: The type exists in Flink CDC, but is not supported.
    """
    types: Mapping[str, SectionType[Any]] = SOURCES if name == "source" else SINKS
    entry = node.entries.get(TYPE.key)
    if entry is None or not isinstance(entry.node, Scalar) or entry.node.is_null:
        position = node.position if entry is None else entry.position
        raise DefinitionError(
            f"the {name} has no '{TYPE.key}'", where=f"{document}, {position}", now=f"There are {', '.join(types)}."
        )
    written = entry.node.text.strip()
    if written.lower() in types:
        return types[written.lower()]
    raise _unknown_type(name, written.lower(), f"{name} of {document}, {entry.node.position}", types)


def _unknown_type(name: str, written: str, where: str, types: Mapping[str, Any]) -> KafkastreamError:
    if name == "source" and written in _DATABASES:
        return UnsupportedFeatureError(
            f"a pipeline does not read {written!r} itself; it reads the database's changes from Kafka",
            where=where,
            now="Let Debezium or Canal write them into a topic, and read it with 'type: kafka' and "
            "'value.format: debezium-json' or 'canal-json'.",
        )
    if name == "sink" and written in _WAREHOUSES:
        return UnsupportedFeatureError(
            f"a pipeline does not write {written!r}", where=where, now=f"There are {', '.join(types)}."
        )
    known = ", ".join(types)
    return DefinitionError(
        f"unknown {name} {written!r}; expected one of {known}", where=where, now=did_you_mean(written, types)
    )


def section_options(
    subject: str, node: MapNode, declared_options: OptionGroup, nodes: Sequence[str] = ()
) -> SectionOptions:
    """Return the options of a section; all keys and values are checked.

    Args:
        subject: Name of the section in errors.
        node: Contents of the section.
        declared_options: Declared options.
        nodes: Keys whose values are lists or mappings.

    Raises:
        DefinitionError: A key is unknown, a value is missing or no scalar, or a required option is missing.
    """
    declared = {key: option for option in declared_options.options if isinstance(option, Option) for key in option.keys}
    entries = node.entries
    scalars = {key: _scalar(subject, key, entry, declared) for key, entry in entries.items() if key not in nodes}
    section = Section(
        subject,
        {key: scalar.written for key, scalar in scalars.items()},
        {"": node.position, **{key: entry.position for key, entry in entries.items()}},
        {key: entry for key, entry in entries.items() if key in nodes},
    )
    options = SectionOptions(section, FrozenMap({key: scalar.text for key, scalar in scalars.items()}))
    _check_misplaced(options)
    declared_options.check(options, nodes)
    return options


def _check_misplaced(options: SectionOptions) -> None:
    for key in SECTIONS:
        if key in options.values and key != "source":
            raise options.refusal(f"{key!r} is a section of its own", key, now="Write it in the first column.")


def _scalar(subject: str, key: str, entry: Entry, declared: Mapping[str, Option[Any]]) -> Scalar:
    where = f"{subject}, option {key!r}, {entry.position}"
    option = declared.get(key)
    match entry.node:
        case Scalar(is_null=True):
            raise DefinitionError(f"{key!r} has no value", where=where, now="" if option is None else option.doc)
        case Scalar() as scalar:
            return scalar
        case ListNode(items=items) if option is not None and isinstance(option.parse, ListOf):
            if scalars := [item for item in items if isinstance(item, Scalar) and not item.is_null]:
                return _joined(scalars, option.parse.separator, entry.node.position)
        case _:
            pass
    if key in SECTIONS:
        raise DefinitionError(f"{key!r} is a section of its own", where=where, now="Write it in the first column.")
    if option is None:
        now = _dotted(key, entry, declared) or did_you_mean(key, declared)
        raise DefinitionError(f"unknown option {key!r}", where=where, now=now)
    raise DefinitionError(f"the value of {key!r} is neither a text nor a number", where=where, now=option.doc)


def _joined(scalars: Sequence[Scalar], separator: str, position: Position) -> Scalar:
    text = separator.join(scalar.text for scalar in scalars)
    hides = any(isinstance(scalar.text, Secret) for scalar in scalars)
    return Scalar(Secret(text) if hides else text, separator.join(scalar.written for scalar in scalars), position)


def _dotted(key: str, entry: Entry, declared: Mapping[str, Option[Any]]) -> str:
    """Return a hint to write nested keys with dots."""
    if isinstance(entry.node, MapNode) and any(one.startswith(f"{key}.") for one in declared):
        inner = next(iter(entry.node.entries), "…")
        return f"Write keys in one line, with dots: '{key}.{inner}'."
    return ""


def maps_of(name: str, document: str, entry: Entry | None) -> Iterator[tuple[str, MapNode]]:
    """Yield the mappings of a list section, each with its name in errors.

    Args:
        name: Name of the section.
        document: Name of the document, for errors.
        entry: Entry of the section; None if the document has none.

    Raises:
        DefinitionError: The section is not a list of mappings.
    """
    if entry is None or (isinstance(entry.node, Scalar) and entry.node.is_null):
        return
    where = f"{document}, {entry.position}"
    if not isinstance(entry.node, ListNode):
        raise DefinitionError(f"'{name}' is not a list", where=where, now="Write '- ' before each rule.")
    for number, item in enumerate(entry.node.items, 1):
        if not isinstance(item, MapNode):
            raise DefinitionError(f"item {number} of '{name}' is not a mapping", where=f"{document}, {item.position}")
        yield f"{name} {number} of {document}", item


def moved_mapping(
    document: str, source: MapNode, sink: MapNode, sink_type: SectionType[Any]
) -> tuple[MapNode, MapNode]:
    """Move the topic mapping from the source, where Flink CDC's examples have it, to the sink that declares it.

    Args:
        document: Name of the document, for the warning.
        source: Section ``source``.
        sink: Section ``sink``.
        sink_type: Type of the sink.

    Returns:
        Source and sink sections; unchanged if there is nothing to move.
    """
    entry = source.entries.get(TOPIC_MAPPING.key)
    if entry is None or sink_type is not KAFKA_SINK or TOPIC_MAPPING.key in sink.entries:
        return source, sink
    log.warning("%s, %s: '%s' is an option of the sink", document, entry.position, TOPIC_MAPPING.key)
    left = {key: one for key, one in source.entries.items() if key != TOPIC_MAPPING.key}
    return MapNode(left, source.position), MapNode({**sink.entries, TOPIC_MAPPING.key: entry}, sink.position)
