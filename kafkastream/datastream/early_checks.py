"""Checks of a job before its engine is imported and Spark starts, which take seconds; and that import."""

from __future__ import annotations

from kafkastream.model.graph.job_graph import JobGraph

__all__ = ["check_early", "import_engine"]


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


def import_engine() -> None:
    """Import the engine, to the end if Ctrl-C comes: pandas that was imported by half cannot be imported again.

    Raises:
        KeyboardInterrupt: Ctrl-C came.
    """
    from kafkastream.spark.session.signals import interrupt_held_back

    with interrupt_held_back():
        import kafkastream.spark.job.engine  # noqa: F401 - for those who import from it next
