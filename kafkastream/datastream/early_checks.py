"""Checks of a job before its engine is imported and Spark starts, which take seconds."""

from __future__ import annotations

from kafkastream.model.graph.job_graph import JobGraph

__all__ = ["check_early"]


def check_early(graph: JobGraph) -> None:
    """Check the topics of a ``graph``, unless Spark runs already and soon reports what is missing.

    Raises:
        UnknownTopicError: A topic or partition does not exist.
        BrokerUnreachableError: No broker answered in time.
    """
    from kafkastream.kafka.topic_checks import check_topics
    from kafkastream.spark.internals.running_spark import spark_is_running

    if not spark_is_running():
        check_topics(graph)
