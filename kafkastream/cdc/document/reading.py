"""Parser of pipeline documents: from YAML text to ``PipelineSpec``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import attrs

from kafkastream.cdc.document.sections import declared_type, maps_of, moved_mapping, section_options
from kafkastream.cdc.document.tree import SECTIONS, parse_tree
from kafkastream.cdc.document.variables import Variables, read_text
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import (
    SINK_TABLE,
    SOURCE_TABLE,
    TABLE_OPTIONS,
    TABLE_OPTIONS_DELIMITER,
    RouteRule,
    TransformRule,
    table_options,
)
from kafkastream.cdc.spec.section import MapNode, Scalar, SectionOptions, SectionType
from kafkastream.cdc.spec.settings import (
    COLLECTOR_TOPIC,
    COLLECTOR_TYPE,
    FUNCTION_CLASSPATH,
    FUNCTION_NAME,
    JOB_KEYS,
    PIPELINE_OPTIONS,
    DirtyDataCollector,
    KafkaCollector,
    LoggerCollector,
    PipelineFunction,
    PipelineSettings,
)
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.common.error_location import located
from kafkastream.options.flink_settings import check_setting
from kafkastream.options.option import Option
from kafkastream.sql.option_group import OptionGroup
from kafkastream.sql.settings import options_of, read_settings
from kafkastream.sql.table_options import did_you_mean

__all__ = ["COLLECTOR", "FUNCTION", "PIPELINE", "ROUTE", "TRANSFORM", "PipelineDocument", "read_document", "read_file"]

_COLLECTOR: Final = "dirty-data.collector"
_FUNCTIONS: Final = "user-defined-function"
_MODEL: Final = "model"

TRANSFORM: Final = OptionGroup(
    "transform",
    (*options_of(TransformRule), TABLE_OPTIONS_DELIMITER),
    required=(SOURCE_TABLE,),
)
ROUTE: Final = OptionGroup("route", options_of(RouteRule), required=(SOURCE_TABLE, SINK_TABLE))
PIPELINE: Final = OptionGroup("pipeline", (*PIPELINE_OPTIONS, *JOB_KEYS))
FUNCTION: Final = OptionGroup(
    _FUNCTIONS,
    (FUNCTION_NAME, FUNCTION_CLASSPATH),
    required=(FUNCTION_NAME, FUNCTION_CLASSPATH),
)
COLLECTOR: Final = OptionGroup(_COLLECTOR, (COLLECTOR_TYPE, COLLECTOR_TOPIC))


@final
@attrs.frozen
class PipelineDocument:
    """Parsed document.

    Args:
        spec: Pipeline.
        sections: Options as written, by section.
    """

    spec: PipelineSpec
    sections: tuple[SectionOptions, ...]


def read_file(path: Path, variables: Variables | None = None) -> PipelineDocument:
    """Parse a file; a pipeline without a name gets the file's, without suffix.

    Args:
        path: YAML file.
        variables: Values of variables; by default, the environment's.

    Raises:
        DefinitionError: The file cannot be read, or its contents are invalid; the error names the line.
        UnsupportedFeatureError: The document uses a feature that is not supported; the error names an alternative.
    """
    document = read_document(read_text(path), str(path), variables)
    spec = document.spec
    if spec.settings.name is not None:
        return document
    # The name is also the checkpoint folder's, which documents without a name must not share.
    return attrs.evolve(document, spec=attrs.evolve(spec, settings=attrs.evolve(spec.settings, name=path.stem)))


def read_document(text: str, name: str = "pipeline", variables: Variables | None = None) -> PipelineDocument:
    """Parse a document.

    Args:
        text: YAML document.
        name: Name of the document in errors.
        variables: Values of variables; by default, the environment's.

    Raises:
        DefinitionError: The document is invalid; the error names the line.
        UnsupportedFeatureError: The document uses a feature that is not supported; the error names an alternative.

    Example:
        >>> document = read_document('''
        ... source: {type: kafka, properties.bootstrap.servers: "localhost:9092", topic: orders, properties.group.id: g}
        ... sink: {type: print}
        ... ''')
        >>> document.spec.source.value_format.identifier
        'debezium-json'
    """
    values = variables or Variables()
    try:
        return _document(parse_tree(text, name, values.resolve), name)
    except (DefinitionError, UnsupportedFeatureError) as error:
        raise _masked(error, values) from None


def _masked(error: KafkastreamError, variables: Variables) -> KafkastreamError:
    what, where, now = map(variables.masked, (error.what, error.where, error.now))
    return type(error)(what, where=where, now=now)


def _document(tree: MapNode, name: str) -> PipelineDocument:
    for key, entry in tree.entries.items():
        if key not in SECTIONS:
            raise DefinitionError(
                f"unknown section {key!r}; expected one of {', '.join(SECTIONS)}",
                where=f"{name}, {entry.position}",
                now=did_you_mean(key, SECTIONS),
            )
    (source_type, source), (sink_type, sink) = _ends(tree, name)
    transforms = [section_options(subject, node, TRANSFORM) for subject, node in _items(tree, "transform", name)]
    routes = [section_options(subject, node, ROUTE) for subject, node in _items(tree, "route", name)]
    pipeline = _pipeline(tree, name)
    parts = {
        "source": source_type.read(source),
        "sink": sink_type.read(sink),
        "transforms": tuple(map(_transform, transforms)),
        "routes": tuple(map(_route, routes)),
        "settings": PipelineSettings() if pipeline is None else _settings(pipeline),
    }
    with source.reading() if pipeline is None else pipeline.reading():
        spec = PipelineSpec(**parts)
    return PipelineDocument(spec, (source, sink, *transforms, *routes, *(() if pipeline is None else (pipeline,))))


_End: TypeAlias = tuple[SectionType[Any], SectionOptions]


def _ends(tree: MapNode, name: str) -> tuple[_End, _End]:
    source, sink = _section(tree, "source", name), _section(tree, "sink", name)
    source_type, sink_type = declared_type("source", name, source), declared_type("sink", name, sink)
    source, sink = moved_mapping(name, source, sink, sink_type)
    return _end("source", name, source, source_type), _end("sink", name, sink, sink_type)


def _end(end: str, name: str, node: MapNode, type_: SectionType[Any]) -> _End:
    return type_, section_options(f"{end} of {name}", node, type_.options, tuple(type_.nodes))


def _section(tree: MapNode, key: str, name: str) -> MapNode:
    entry = tree.entries.get(key)
    if entry is None:
        raise DefinitionError(f"missing section '{key}'", where=name, now=f"Write '{key}:' with a 'type' below it.")
    if not isinstance(entry.node, MapNode):
        raise DefinitionError(f"the section '{key}' is not a mapping", where=f"{name}, {entry.position}")
    return MapNode(entry.node.entries, entry.position)


def _items(tree: MapNode, key: str, name: str) -> Iterator[tuple[str, MapNode]]:
    return maps_of(key, name, tree.entries.get(key))


def _transform(options: SectionOptions) -> TransformRule:
    settings = read_settings(TransformRule, lambda option: None if option is TABLE_OPTIONS else options.get(option))
    delimiter = options.get(TABLE_OPTIONS_DELIMITER)
    given = attrs.evolve(TABLE_OPTIONS, parse=lambda value: table_options(value, delimiter))
    settings["table_options"] = options.get(given)
    with options.reading():
        return TransformRule(**settings)


def _route(options: SectionOptions) -> RouteRule:
    settings = read_settings(RouteRule, options.get)
    with options.reading(SINK_TABLE.key):
        return RouteRule(**settings)


def _pipeline(tree: MapNode, name: str) -> SectionOptions | None:
    entry = tree.entries.get("pipeline")
    if entry is None or (isinstance(entry.node, Scalar) and entry.node.is_null):
        return None
    node = _section(tree, "pipeline", name)
    if model := node.entries.get(_MODEL):
        raise UnsupportedFeatureError(
            "models are not supported in a pipeline",
            where=f"pipeline of {name}, {model.position}",
            now=f"Call the model in a function of your own, under '{_FUNCTIONS}'.",
        )
    for key, entry in node.entries.items():
        if isinstance(entry.node, Scalar):
            with located(f"pipeline of {name}, {entry.position}"):
                check_setting(key, entry.node.text)
    return section_options(f"pipeline of {name}", node, PIPELINE, (_COLLECTOR, _FUNCTIONS))


def _settings(options: SectionOptions) -> PipelineSettings:
    for option in JOB_KEYS:
        if isinstance(option, Option):
            options.get(option)  # raises with the path if the file cannot be read
    own = {key for option in PIPELINE_OPTIONS if isinstance(option, Option) for key in option.keys}
    settings = read_settings(PipelineSettings, options.get)
    collector, functions = _collector(options), tuple(_functions(options))
    configuration = {key: value for key, value in options.values.items() if key not in own}
    with options.reading():
        return PipelineSettings(
            **settings, dirty_data_collector=collector, functions=functions, configuration=configuration
        )


def _collector(options: SectionOptions) -> DirtyDataCollector:
    section = options.definition
    entry = section.nodes.get(_COLLECTOR)
    if entry is None:
        return LoggerCollector()
    if not isinstance(entry.node, MapNode):
        raise section.refusal(f"'{_COLLECTOR}' is not a mapping", entry.position, "Write 'type: logger' below it.")
    given = section_options(f"{_COLLECTOR} in {section.subject}", entry.node, COLLECTOR)
    if given.get(COLLECTOR_TYPE) == "logger":
        return LoggerCollector()
    topic = given.get(COLLECTOR_TOPIC)
    with given.reading():
        return KafkaCollector(topic)


def _functions(options: SectionOptions) -> Iterator[PipelineFunction]:
    section = options.definition
    for subject, node in maps_of(_FUNCTIONS, section.subject, section.nodes.get(_FUNCTIONS)):
        given = section_options(subject, node, FUNCTION)
        name, classpath = given.get(FUNCTION_NAME), given.get(FUNCTION_CLASSPATH)
        with given.reading(FUNCTION_CLASSPATH.key):
            made = PipelineFunction(name, classpath)
        yield made
