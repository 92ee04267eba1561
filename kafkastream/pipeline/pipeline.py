"""``Pipeline`` and its builder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import attrs
from typing_extensions import Self

from kafkastream.cdc.document.reading import read_document, read_file
from kafkastream.cdc.document.variables import Variables
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import RouteRule, TransformRule
from kafkastream.cdc.spec.settings import PipelineSettings
from kafkastream.cdc.spec.sink import PipelineSink
from kafkastream.cdc.spec.sources import PipelineSource
from kafkastream.cdc.spec.values_source import RowChange
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.job.job_result import JobClient, JobExecutionResult

if TYPE_CHECKING:
    from kafkastream.datastream.stream_outputs import CloseableIterator

__all__ = ["Pipeline", "PipelineBuilder"]

_NONE: Mapping[str, str] = FrozenMap()


@final
@attrs.frozen
class Pipeline:
    """Pipeline from a source to a sink, ready to run.

    Args:
        spec: Definition; equal for equivalent pipelines of YAML and of Python.

    Example:
        >>> pipeline = Pipeline.from_text(
        ...     '''
        ... source:
        ...   type: values
        ...   tables: CREATE TABLE shop.orders (id BIGINT)
        ... sink:
        ...   type: ${sink}
        ... ''',
        ...     variables={"sink": "print"},
        ... )
        >>> pipeline.spec.sink.standard_error
        False
    """

    spec: PipelineSpec

    @staticmethod
    def from_file(path: str | os.PathLike[str], variables: Mapping[str, str] = _NONE) -> Pipeline:
        """Read a YAML document; a pipeline without a name gets the file's, without suffix.

        Args:
            path: YAML file.
            variables: Values of ``${name}`` and ``${secret_values.name}``; others are taken from the environment.

        Raises:
            DefinitionError: The file cannot be read, or its contents are invalid; the error names the line.
            UnsupportedFeatureError: The document uses a feature that is not supported; the error names an alternative.
        """
        return Pipeline(read_file(Path(path), Variables(variables)).spec)

    @staticmethod
    def from_text(text: str, variables: Mapping[str, str] = _NONE, *, name: str = "pipeline") -> Pipeline:
        """Read a YAML document from text.

        Args:
            text: YAML document.
            variables: Values of ``${name}`` and ``${secret_values.name}``; others are taken from the environment.
            name: Name of the document in errors.

        Raises:
            DefinitionError: The document is invalid; the error names the line.
            UnsupportedFeatureError: The document uses a feature that is not supported; the error names an alternative.
        """
        return Pipeline(read_document(text, name, Variables(variables)).spec)

    @staticmethod
    def builder() -> PipelineBuilder:
        """Create a builder."""
        return PipelineBuilder()

    def run(self) -> JobExecutionResult:
        """Run the pipeline until it ends; Ctrl-C stops it after the running micro-batch.

        Raises:
            KafkastreamError: The pipeline cannot start, or has failed.
        """
        from kafkastream.spark.job import pipelines as running

        return running.start(self.spec).wait()

    def start(self) -> JobClient:
        """Start the pipeline in the background.

        Returns:
            Client to wait for the job, cancel it, and read its metrics.

        Raises:
            KafkastreamError: The pipeline cannot start.
        """
        from kafkastream.spark.job import pipelines as running

        return JobClient(running.start(self.spec))

    def collect(self) -> CloseableIterator[RowChange]:
        """Start a pipeline with a ``values`` or ``print`` sink, and return an iterator over its changes.

        Raises:
            KafkastreamError: The pipeline cannot start.
        """
        from kafkastream.spark.job import pipelines as running

        return running.start_and_collect(self.spec)


@final
class PipelineBuilder:
    r"""Builder of a ``Pipeline``; each method returns the builder, and ``build`` checks the parts together.

    Example:
        >>> from kafkastream.datastream.connectors.kafka import KafkaSource
        >>> from kafkastream.pipeline import KafkaPipelineSource, PostgresSink
        >>> topics = KafkaSource.builder().set_bootstrap_servers("localhost:9092").set_topics("orders")
        >>> pipeline = (
        ...     Pipeline.builder()
        ...     .source(KafkaPipelineSource.of(topics))
        ...     .transform(source_table=r"shop.\.*", primary_keys="id")
        ...     .route(source_table=r"shop.orders_\.*", sink_table="ods.orders")
        ...     .sink(PostgresSink(hostname="localhost", database="shop"))
        ...     .settings(name="orders", configuration={"execution.checkpointing.dir": "file:///tmp/jobs"})
        ...     .build()
        ... )
        >>> pipeline.spec.settings.name
        'orders'
    """

    def __init__(self) -> None:
        self._source: PipelineSource | None = None
        self._sink: PipelineSink | None = None
        self._transforms: tuple[TransformRule, ...] = ()
        self._routes: tuple[RouteRule, ...] = ()
        self._settings = PipelineSettings()

    def source(self, source: PipelineSource) -> Self:
        """Set the source."""
        self._source = source
        return self

    def sink(self, sink: PipelineSink) -> Self:
        """Set the sink."""
        self._sink = sink
        return self

    def transform(self, **rule: Any) -> Self:
        """Add a transform rule, with the arguments of ``TransformRule``."""
        self._transforms = (*self._transforms, TransformRule(**rule))
        return self

    def route(self, **rule: Any) -> Self:
        """Add a route rule, with the arguments of ``RouteRule``."""
        self._routes = (*self._routes, RouteRule(**rule))
        return self

    def settings(self, **settings: Any) -> Self:
        """Set job settings, with the arguments of ``PipelineSettings``."""
        self._settings = attrs.evolve(self._settings, **settings)
        return self

    def build(self) -> Pipeline:
        """Build the pipeline.

        Raises:
            DefinitionError: Source or sink is missing, or parts contradict each other.
        """
        if self._source is None or self._sink is None:
            missing = "source" if self._source is None else "sink"
            raise DefinitionError(f"the pipeline has no {missing}", where="Pipeline", now=f"Call .{missing}(…).")
        return Pipeline(
            PipelineSpec(
                source=self._source,
                sink=self._sink,
                transforms=self._transforms,
                routes=self._routes,
                settings=self._settings,
            )
        )
