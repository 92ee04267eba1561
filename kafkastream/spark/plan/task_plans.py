"""Plans of a query's tasks: the chains of a part of the job graph, pickled for workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkastream.model.graph.job_graph import KeyedNode
from kafkastream.spark.exchange.keyed_task import KeyedTask
from kafkastream.spark.exchange.single_writer import WriterPlan
from kafkastream.spark.exchange.source_task import SourceTask
from kafkastream.spark.exchange.stateful_stage import LevelPlan
from kafkastream.spark.exchange.task_plan import TaskPlan
from kafkastream.spark.internals.pickles import dumps
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.worker.kafka_writer import TransactionalOperator
from kafkastream.spark.worker.operator_chain import ChainedOperator, OperatorChain
from kafkastream.spark.worker.pickling import sent
from kafkastream.spark.worker.worker_cache import JobAttempt

__all__ = ["level_plans", "pickled", "source_tasks", "task_plan", "writer_plan"]


def source_tasks(compiler: ChainCompiler) -> Mapping[int, SourceTask]:
    """Return the task of each source of a connected graph, by the source's node.

    Raises:
        UnsupportedFeatureError: A sink has a setting that only the Java client supports.
    """
    return {source.id: compiler.source_task(source) for source in compiler.graph.sources}


def pickled(task: SourceTask | KeyedTask | OperatorChain) -> bytes:
    """Pickle a task or chain for workers.

    Raises:
        DefinitionError: One of its functions cannot be pickled.
    """
    return sent(task, lambda: f"the function of operator {_culprit(task)!r}")


def level_plans(compiler: ChainCompiler, levels: Sequence[Sequence[KeyedNode]]) -> tuple[LevelPlan, ...]:
    """Return the plans of the stateful stages of keyed operators, in order.

    Raises:
        DefinitionError: A function cannot be sent to workers.
        UnsupportedFeatureError: A sink has a setting that only the Java client supports.
    """
    last = len(levels) - 1
    return tuple(
        LevelPlan(
            compiler.run,
            compiler.labels,
            {node.id: pickled(compiler.keyed_task(node)) for node in level},
            is_last=stage == last,
        )
        for stage, level in enumerate(levels)
    )


def writer_plan(writers: Mapping[int, TransactionalOperator], run: JobAttempt) -> WriterPlan:
    """Return the plan of the task of exactly-once sinks after keyed operators; errors as of ``level_plans``."""
    return WriterPlan(run, {node: pickled(OperatorChain((ChainedOperator(sink),))) for node, sink in writers.items()})


def task_plan(chains: Mapping[int, SourceTask], run: JobAttempt, parallelism: int) -> TaskPlan:
    """Return the plan of a query's tasks.

    Args:
        chains: Task of each source, by its node.
        run: Attempt that the tasks belong to.
        parallelism: The number of subtasks.

    Raises:
        DefinitionError: A function cannot be sent to workers.
    """
    return TaskPlan(run, parallelism, {source: pickled(chain) for source, chain in chains.items()})


def _culprit(task: SourceTask | KeyedTask | OperatorChain) -> str:
    """Return the name of the operator that cannot be pickled."""
    own = [(task.name, task.operator)] if isinstance(task, KeyedTask) else []
    operators = task if isinstance(task, OperatorChain) else task.chain
    for name, part in [*own, *((operator.name, operator) for operator in operators.operators())]:
        try:
            dumps(part)
        except Exception:  # noqa: BLE001 - whatever it raises, this is the one
            return name
    return "?"
