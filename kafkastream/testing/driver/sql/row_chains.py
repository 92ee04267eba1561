"""Chains that take the rows of a query behind its operators and streams: to the next operator, or to the sink."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from kafkastream.model.common.snapshot import copied
from kafkastream.spark.exchange.shuffle_messages import Message, as_sent
from kafkastream.spark.plan.chain_compiler import ChainCompiler
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.failures import function_failed
from kafkastream.spark.worker.operator_chain import OperatorChain, applied
from kafkastream.spark.worker.reports import Report, ReportKind
from kafkastream.spark.worker.worker_cache import JobAttempt
from kafkastream.testing.driver.sql.query_rows import QueryRows

__all__ = ["RowChains"]


@final
class RowChains:
    """Chains behind rows, for each node that they come from and each subtask.

    Args:
        rows: Computes the rows.
        compiler: Compiles the chains.
        attempt: Attempt that the tasks belong to.
        parallelism: Number of subtasks.
    """

    def __init__(self, rows: QueryRows, compiler: ChainCompiler, attempt: JobAttempt, parallelism: int) -> None:
        self._rows, self._compiler, self._attempt, self._parallelism = rows, compiler, attempt, parallelism
        self._chains: dict[tuple[int, int], OperatorChain] = {}
        self._sent: dict[int, list[Message]] = {}

    def keep(self, message: Message) -> None:
        """Keep rows that a task has sent, until it ends."""
        self._sent.setdefault(message.node, []).append(message)

    @property
    def has_rows(self) -> bool:
        """Whether rows wait for their chains."""
        return bool(self._sent)

    def run(self, subtask: int) -> Iterator[Report]:
        """Push the rows of a task that has ended through their chains; yield the reports of these.

        Raises:
            JobError: A function or a sink failed.
        """
        sent, self._sent = self._sent, {}
        for node, messages in sent.items():
            chain = self._chain(node, subtask)
            chain.begin(TaskScope(f"node-{node}-{subtask}"))
            for message in as_sent(messages):
                chain.behind_watermark(is_behind=message.behind)
                batch = self._rows.of_message(message)
                for operator in chain.before:
                    batch = applied(operator, batch, _position)
                if batch.values:
                    chain.push(batch, _position)
                yield from chain.drain()
            yield from chain.finish()
            yield Report(ReportKind.METRICS, node, list(chain.changes()))
            if not chain.reusable:  # its functions were closed
                del self._chains[node, subtask]

    def close(self, *, has_failed: bool) -> None:
        """Close the functions of queries and chains; those that override ``close`` were closed with their last task.

        Raises:
            UserFunctionError: A ``close`` raised.
        """
        for chain in self._chains.values():
            if has_failed:
                chain.abandon()
            for operator in chain.operators():
                if has_failed or not operator.overrides_close:
                    with function_failed(operator.name, "close"):
                        operator.close()
        self._rows.close()

    def _chain(self, node: int, subtask: int) -> OperatorChain:
        if (node, subtask) not in self._chains:
            graph = self._compiler.graph
            chain = copied(self._compiler.chain_behind(graph[node]))
            chain.open(self._attempt.context(subtask, self._parallelism))
            self._chains[node, subtask] = chain
        return self._chains[node, subtask]


def _position(row: int) -> str:
    return f"row {row + 1} of a query"
