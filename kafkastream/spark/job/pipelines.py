"""Starts pipelines."""

from __future__ import annotations

from kafkastream.cdc.graph import job_graph
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.spark.cdc.plan import sink_steps
from kafkastream.spark.job import engine
from kafkastream.spark.job.collecting import CollectedElements
from kafkastream.spark.job.running_job import Job

__all__ = ["sink_steps", "start", "start_and_collect"]


def start(spec: PipelineSpec) -> Job:
    """Start a pipeline and return at once; errors as of ``engine.start``."""
    return engine.start(job_graph(spec), spec.settings.job_settings())


def start_and_collect(spec: PipelineSpec) -> CollectedElements:
    """Start a pipeline whose sink is ``values`` or ``print``, and return its changes while it runs."""
    return engine.start_and_collect(job_graph(spec, collects=True), spec.settings.job_settings())
