from __future__ import annotations

import logging
import re
import urllib.request
from collections.abc import Iterator

import attrs
import pytest
from prometheus_client.parser import text_string_to_metric_families

from kafkastream.errors import DefinitionError, SetupError, UnsupportedFeatureError
from kafkastream.metrics import DistributionValue, Group, MeterValue, MetricKind, MetricsSnapshot, ReportedMetric
from kafkastream.metrics.log_reporter import LogReporter, report_text
from kafkastream.metrics.prometheus import PrometheusReporter, families
from kafkastream.metrics.reporters import LogReporterSettings, PrometheusReporterSettings, reporters_of
from kafkastream.metrics.values import MetricValue
from kafkastream.testing import wait_until

LOG = "org.apache.flink.metrics.slf4j.Slf4jReporterFactory"
PROMETHEUS = "org.apache.flink.metrics.prometheus.PrometheusReporterFactory"


def metric(name: str, kind: MetricKind, value: MetricValue, *groups: Group) -> ReportedMetric:
    return ReportedMetric(
        job="my job",
        operator="Source: in",
        operator_id="src",
        subtask=1,
        groups=groups,
        name=name,
        kind=kind,
        value=value,
    )


SNAPSHOT = MetricsSnapshot(
    "my job",
    "abc",
    (
        metric("numRecordsIn", MetricKind.COUNTER, 3),
        metric("on", MetricKind.GAUGE, True),
        metric("text", MetricKind.GAUGE, "not a number"),
        metric("rate", MetricKind.METER, MeterValue(6, 0.5)),
        metric("sizes", MetricKind.DISTRIBUTION, DistributionValue(2, 10, 4, 6)),
        metric("offset", MetricKind.GAUGE, 41, Group("reader"), Group("topic", "a-b"), Group("partition", "0")),
    ),
)
LABELS = {
    "job_id": "abc",
    "job_name": "my_job",
    "operator_id": "src",
    "operator_name": "Source:_in",
    "subtask_index": "1",
}


def test_reporters_are_read_from_flinks_keys() -> None:
    configured = {
        "metrics.reporters": "prom, log",
        "metrics.reporter.log.factory.class": LOG,
        "metrics.reporter.log.interval": "30 s",
        "metrics.reporter.prom.factory.class": PROMETHEUS,
        "metrics.reporter.prom.port": "9250-9252",
        "metrics.reporter.prom.filterLabelValueCharacters": "false",
        "metrics.reporter.other.factory.class": "not.wanted",
        "pipeline.name": "job",
    }
    assert reporters_of(configured) == (
        PrometheusReporterSettings("prom", (9250, 9251, 9252), filter_label_values=False),
        LogReporterSettings("log", 30_000),
    )


def test_all_that_are_configured_start_unless_some_are_named() -> None:
    configured = {"metrics.reporter.p.factory.class": PROMETHEUS, "metrics.reporter.l.factory.class": LOG}
    assert reporters_of(configured) == (PrometheusReporterSettings("p", (9249,)), LogReporterSettings("l", 10_000))
    assert reporters_of({}) == ()


def test_unknown_reporter_is_refused_with_those_that_work() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"JMXReporterFactory") as raised:
        reporters_of({"metrics.reporter.jmx.factory.class": "org.apache.flink.metrics.jmx.JMXReporterFactory"})
    assert raised.value.where == "metrics.reporter.jmx.factory.class"
    assert LOG in raised.value.now
    assert PROMETHEUS in raised.value.now


@pytest.mark.parametrize(
    "configured",
    [
        {"metrics.reporters": "log"},
        {"metrics.reporter.log.class": "org.apache.flink.metrics.slf4j.Slf4jReporter"},
        {"metrics.reporter.p.factory.class": PROMETHEUS, "metrics.reporter.p.port": "many"},
        {"metrics.reporter.p.factory.class": PROMETHEUS, "metrics.reporter.p.port": "70000"},
        {"metrics.reporter.p.factory.class": PROMETHEUS, "metrics.reporter.p.port": "9260-9250"},
    ],
)
def test_reporter_that_is_not_fully_configured_is_refused(configured: dict[str, str]) -> None:
    with pytest.raises(DefinitionError, match=r"factory\.class|reporter\.p\.port"):
        reporters_of(configured)


def test_log_shows_every_metric_by_kind() -> None:
    assert report_text(SNAPSHOT).splitlines() == [
        "metrics of job 'my job': 6",
        "-- counters",
        "my job.Source: in.1.numRecordsIn: 3",
        "-- gauges",
        "my job.Source: in.1.on: True",
        "my job.Source: in.1.text: not a number",
        "my job.Source: in.1.reader.topic.a-b.partition.0.offset: 41",
        "-- meters",
        "my job.Source: in.1.rate: 0.5/s, count=6",
        "-- distributions",
        "my job.Source: in.1.sizes: count=2, min=4, max=6, mean=5",
    ]


def test_log_reporter_reports_at_intervals_and_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "kafkastream.metrics"):
        often = LogReporter(lambda: SNAPSHOT, 0.01)
        wait_until(lambda: len(caplog.records) >= 3, 10, "the third report")
        often.stop()
        caplog.clear()
        LogReporter(lambda: SNAPSHOT, 1000).stop()
        assert len(caplog.records) == 1


def samples(filtered: bool = True) -> dict[str, tuple[dict[str, str], float]]:
    found = families(SNAPSHOT, filtered=filtered)
    return {sample.name: (sample.labels, sample.value) for family in found for sample in family.samples}


def test_prometheus_gets_flinks_names_and_labels() -> None:
    prefix = "flink_taskmanager_job_task_operator_"
    assert samples() == {
        f"{prefix}numRecordsIn": (LABELS, 3),
        f"{prefix}on": (LABELS, 1),
        f"{prefix}rate": (LABELS, 0.5),
        f"{prefix}sizes_count": (LABELS, 2),
        f"{prefix}sizes_sum": (LABELS, 10),
        f"{prefix}sizes_min": (LABELS, 4),
        f"{prefix}sizes_max": (LABELS, 6),
        f"{prefix}reader_topic_partition_offset": ({**LABELS, "topic": "a_b", "partition": "0"}, 41),
    }


def test_the_jobs_own_metrics_have_a_scope_of_their_own() -> None:
    restarts = attrs.evolve(metric("numRestarts", MetricKind.GAUGE, 2), operator="", operator_id="", subtask=0)
    assert restarts.identifier == "my job.numRestarts"
    (family,) = families(MetricsSnapshot("my job", "abc", (restarts,)))
    ((name, labels, value, *_),) = family.samples
    assert (name, labels, value) == (
        "flink_jobmanager_job_numRestarts",
        {"job_id": "abc", "job_name": "my_job"},
        2,
    )


def test_label_values_stay_as_they_are_when_asked_for() -> None:
    labels, _ = samples(filtered=False)["flink_taskmanager_job_task_operator_reader_topic_partition_offset"]
    assert (labels["operator_name"], labels["topic"]) == ("Source: in", "a-b")


def scraped(port: int) -> str:
    with urllib.request.urlopen(f"http://localhost:{port}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


@pytest.fixture
def reporter() -> Iterator[PrometheusReporter]:
    running = PrometheusReporter(PrometheusReporterSettings("prom", (0,)), lambda: SNAPSHOT, "127.0.0.1")
    yield running
    running.stop()


def test_prometheus_can_read_what_is_served(reporter: PrometheusReporter) -> None:
    text = scraped(reporter.port)
    read = {sample.name: sample.value for family in text_string_to_metric_families(text) for sample in family.samples}
    assert read == {name: value for name, (_, value) in samples().items()}
    assert "# HELP flink_taskmanager_job_task_operator_numRecordsIn numRecordsIn (scope: " in text
    assert re.search(r"^# TYPE flink_taskmanager_job_task_operator_numRecordsIn gauge$", text, re.MULTILINE)


def test_first_free_port_of_a_range_is_taken(reporter: PrometheusReporter) -> None:
    next_one = PrometheusReporter(PrometheusReporterSettings("prom", (reporter.port, 0)), lambda: SNAPSHOT, "127.0.0.1")
    assert next_one.port not in {0, reporter.port}
    next_one.stop()
    with pytest.raises(OSError, match="refused"):
        scraped(next_one.port)


def test_port_in_use_is_told(reporter: PrometheusReporter) -> None:
    with pytest.raises(SetupError, match="'second' found no free port") as raised:
        PrometheusReporter(PrometheusReporterSettings("second", (reporter.port,)), lambda: SNAPSHOT, "127.0.0.1")
    assert raised.value.where == f"port {reporter.port}"
    assert "metrics.reporter.second.port" in raised.value.now
