"""Compiles the part of a job that is a SQL query: its chains, and the DataFrames between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode, Node
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids
from kafkastream.spark.exchange.stateful_stage import LevelPlan
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.internals.pickles import dumps
from kafkastream.spark.internals.python import arrow_type_of
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.plan.physical_plan import PhysicalPlan, StreamPlan
from kafkastream.spark.plan.task_plans import level_plans, pickled
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.functions.user_functions import register
from kafkastream.spark.sql.rows.columnar_parts import WindowParts
from kafkastream.spark.sql.rows.columnar_windows import ColumnarWindows
from kafkastream.spark.sql.rows.local_aggregate import pre_aggregated
from kafkastream.spark.sql.rows.row_elements import KeyedRows, elements_of
from kafkastream.spark.sql.rows.row_task import RowTask
from kafkastream.spark.sql.rows.sink_rows import table_writer
from kafkastream.spark.worker.record_decoders import Decoder
from kafkastream.sql.plan.expression import user_calls
from kafkastream.sql.plan.operations import GroupAggregate, TableOperation, WindowAggregate
from kafkastream.sql.plan.query_node import QueryNode, Route, StreamNode, routes
from kafkastream.sql.plan.relations import Field, Stateful, computations
from kafkastream.sql.plan.window_slices import SlicedBranch, WindowSlices, sliced_branch

__all__ = ["query_frames", "query_of", "row_decoders"]


def query_of(graph: JobGraph) -> QueryNode | None:
    """Return the last SQL query of a part of a job, which may read streams of others; None if it has none.

    Raises:
        UnsupportedFeatureError: The part also has sources or queries that the query does not read.
    """
    queries = [node for node in graph.nodes if isinstance(node, QueryNode)]
    if not queries:
        return None
    query = max(queries, key=lambda one: len(graph.reaching(one.id).nodes))
    inside = {node.id for node in graph.reaching(query.id).nodes}
    others = [node for node in (*graph.sources, *queries) if node.id not in inside]
    if others:
        raise UnsupportedFeatureError(
            f"a query of SQL and {others[0].label!r} together in one stream",
            where="to_data_stream",
            now="Write the query to a topic, and read that topic as a stream; or write all of it in SQL.",
        )
    return query


def row_decoders(graph: JobGraph) -> Mapping[int, Decoder]:
    """Return the decoders of rows to elements, for each node that rows come from."""
    query_of(graph)
    queries = (node for node in graph.nodes if isinstance(node, QueryNode))
    return {route.node: _decoder(graph, query, route) for query in queries for route in routes(query)}


def query_frames(session: SparkSession, compiler: ChainCompiler, plan: TaskPlan) -> PhysicalPlan | None:
    """Return the plan of a SQL query; None for a part of a job without one.

    Raises:
        DefinitionError: A user-defined function cannot be sent to workers.
        UnsupportedFeatureError: A sink has a setting that only the Java client supports.
    """
    return _frames(session, compiler, plan, compiler.graph)


def _frames(session: SparkSession, compiler: ChainCompiler, plan: TaskPlan, part: JobGraph) -> PhysicalPlan | None:
    """Return the plan of the last query of a part of the graph."""
    graph, run, labels = compiler.graph, compiler.run, compiler.labels
    query = query_of(part)
    if query is None:
        return None
    functions = query.settings.functions
    called = (one.spark_name for computation in computations(query.relation) for one in user_calls(computation))
    register(session, [functions[name] for name in dict.fromkeys(called)], run)
    origins = {route.node: route.branch.origin for route in routes(query)}
    stateful = {node: origin for node, origin in origins.items() if isinstance(origin, Stateful)}
    streams = [node for node in map(graph.__getitem__, origins) if isinstance(node, StreamNode)]
    return PhysicalPlan(
        session,
        query,
        plan,
        {node.id: _before(session, compiler, plan, node) for node in streams},
        {
            node: LevelPlan(run, labels, {node: _stage(compiler, graph[node], origin.fields)}, is_last=True)
            for node, origin in stateful.items()
        },
        frozenset(node for node in stateful if _operation(graph[node]).is_columnar),
        {route.node: found.branch for route in routes(query) if (found := _sliced(graph, route)) is not None},
        {
            node.id: RowTask(
                run, node.id, pickled(compiler.chain_behind(node)), compiler.decoders[node.id], max(len(labels), 1)
            )
            for node in (*streams, *map(graph.__getitem__, stateful))
        },
        RowTask(run, query.id, pickled(compiler.chain_behind(query)), _shown(query), 1),
        level_plans(compiler, compiler.levels_behind(query, part)),
        labels,
    )


def _before(session: SparkSession, compiler: ChainCompiler, plan: TaskPlan, node: StreamNode) -> StreamPlan:
    """Return the plan of a stream that a query reads."""
    stream = compiler.graph.reaching(node.id)
    sources, query = tuple(source.id for source in stream.sources), _frames(session, compiler, plan, stream)
    return StreamPlan(sources, () if query is not None else level_plans(compiler, stream.levels()), query)


def _operation(node: Node) -> TableOperation:
    assert isinstance(node, KeyedNode)
    assert isinstance(node.function, TableOperation)
    return node.function


def _stage(compiler: ChainCompiler, node: Node, fields: Sequence[Field]) -> bytes:
    """Return the task of a stateful operation, pickled."""
    assert isinstance(node, KeyedNode)
    operation = _operation(node)
    if not operation.is_columnar:
        return pickled(compiler.keyed_task(node))
    assert isinstance(operation.operation, WindowAggregate)
    windows = ColumnarWindows(
        node.name,
        keyed_operator_ids(compiler.graph)[node.id],
        node.id,
        WindowParts(operation.operation, operation.retracts),
        [arrow_type_of(spark_type(field.type)) for field in fields],
        compiler.scope_of(node),
        compiler.labels,
    )
    return dumps(windows)


def _decoder(graph: JobGraph, query: QueryNode, route: Route) -> Decoder:
    if route.into is None:
        return _shown(query)
    found = _sliced(graph, route)
    slices = None if found is None else found.slices
    return KeyedRows(len(route.branch.fields), _aggregate(_operation(graph[route.into]), slices))


def _sliced(graph: JobGraph, route: Route) -> SlicedBranch | None:
    """Return the branch of a route into a window aggregate that assigns the rows to windows itself."""
    what = None if route.into is None else _operation(graph[route.into])
    if what is None or not what.is_columnar:
        return None
    assert isinstance(what.operation, WindowAggregate)
    return sliced_branch(route.branch, what.operation.keys)


def _aggregate(what: TableOperation, slices: WindowSlices | None) -> Callable[[pa.RecordBatch], Sequence[Any]] | None:
    """Return the local aggregation of a batch of rows before the shuffle; None if the operation has none."""
    operation = what.operation
    if what.is_columnar:
        assert isinstance(operation, WindowAggregate)
        return WindowParts(operation, what.retracts, slices).of_rows
    if what.takes_parts and isinstance(operation, (GroupAggregate, WindowAggregate)):
        return partial(pre_aggregated, operation=operation)
    return None


def _shown(query: QueryNode) -> Decoder:
    sink = query.target.sink
    return elements_of(query) if sink is None else table_writer(sink).decoder(query)
