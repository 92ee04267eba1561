"""Hostile names, numbers and texts in everything that shows a job, and hostile bytes at its HTTP servers."""

from __future__ import annotations

import json
import math
import socket
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from functools import partial
from http.client import HTTPConnection
from typing import Any, Final

import attrs
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from kafkastream.metrics.groups import MetricGroup
from kafkastream.metrics.history import Failure, History
from kafkastream.metrics.log_reporter import report_text
from kafkastream.metrics.prometheus import families
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.store import MetricStore, Operator
from kafkastream.metrics.values import OperatorChanges
from kafkastream.model.job.page_settings import PageSettings
from kafkastream.page import flink_json, flink_metrics, page_data
from kafkastream.page.job_view import JobView, job_view
from kafkastream.page.json_response import json_text
from kafkastream.page.server import PageServer
from tests.unit.page import jobs

HUGE: Final = 10**5000
TOKEN: Final = "only-for-readers"


class Untold:
    """An object of a program that has no text."""

    def __str__(self) -> str:
        raise RecursionError("endless")


names = st.text(
    st.one_of(st.characters(codec=None), st.sampled_from('"\\\n\r\t\0\x1b\x85\u2028\u202e\ud800\udfff<>&{}:=, ')),
    max_size=20,
)
# Hypothesis cannot print whole numbers that Python refuses to, as it does with what a strategy is made of.
integers = st.one_of(
    st.integers(),
    st.sampled_from([2**63, -(2**63) - 1, 2**1000]),
    st.sampled_from([-1, 1]).map(lambda sign: sign * HUGE),
)
floats = st.floats(allow_nan=True, allow_infinity=True)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    integers,
    floats,
    names,
    st.binary(max_size=20),
    st.decimals(),
    st.datetimes(),
    floats.map(np.float64),
    st.integers(-(2**31), 2**31 - 1).map(np.int64),
    st.just(Untold()),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(names, integers, st.none()), inner, max_size=4)
    ),
    max_leaves=20,
)


def strictly_read(text: str) -> Any:
    """Read JSON as a browser does, which knows no NaN, and Java, which knows no halves of surrogate pairs."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text.encode().decode(), parse_constant=refuse)


@given(values)
@example({"b": [math.nan, math.inf], "\ud800": Decimal("sNaN"), None: b"\xff"})
def test_any_value_has_json(value: object) -> None:
    strictly_read(json_text(value))


def test_values_that_contain_themselves_have_json() -> None:
    loop: list[object] = [1]
    loop.append(loop)
    assert strictly_read(json_text({"loop": loop})) == {"loop": [1, "[1, [...]]"]}
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    strictly_read(json_text(deep))


def _returned(value: object) -> object:
    return value


@st.composite
def snapshots(draw: st.DrawFn) -> MetricsSnapshot:
    """Metrics of a program's function with hostile names and values, as they reach the driver."""
    job, operator = draw(names), draw(names)
    store = MetricStore(job, "id", {1: Operator(operator, draw(names))})
    for _ in range(2):
        group = MetricGroup((job, operator, "0"))
        for _ in range(draw(st.integers(0, 3))):
            group = group.add_group(draw(names), draw(st.one_of(st.none(), names)))
        gauge = draw(st.one_of(values, scalars))
        group.gauge("gauge" + draw(names), partial(_returned, gauge))
        group.counter("counter" + draw(names)).inc(draw(st.one_of(integers, st.integers(0, 9).map(np.int64))))
        group.meter("meter" + draw(names)).mark_event(draw(integers))
        distribution = group.distribution("distribution" + draw(names))
        distribution.update(draw(st.one_of(integers, floats)))
        store.merge([OperatorChanges(1, 0, tuple(group._take()))])
    return store.snapshot()


def view_of(metrics: MetricsSnapshot, failure: str) -> JobView:
    state = jobs.state(metrics=metrics)
    failures = (*state.history.failures, attrs.evolve(jobs.FAILURE, text=failure, name=failure), FAILED)
    return job_view(jobs.facts(), attrs.evolve(state, history=History(failures=failures)))


FAILED: Final = Failure(at_ms=jobs.NOW, code="", name="", text="")


@given(snapshots(), names)
def test_documents_of_any_job_are_json(metrics: MetricsSnapshot, failure: str) -> None:
    view = view_of(metrics, failure)
    own = {metric.path: "" for metric in metrics.metrics}
    for document in (
        page_data.jobs_document([view]),
        page_data.job_document(view),
        flink_json.job(view),
        flink_json.exceptions(view),
        flink_metrics.job_metrics(view),
        flink_metrics.metric_list(own, None),
        [flink_metrics.vertex_metrics(view, vertex) for vertex in view.vertices],
    ):
        strictly_read(json_text(document))


class _Collector(Collector):
    def __init__(self, metrics: MetricsSnapshot, *, filtered: bool) -> None:
        self._found = list(families(metrics, filtered=filtered))

    def collect(self) -> Iterator[Metric]:
        yield from self._found

    def describe(self) -> Iterator[Metric]:
        return iter(())


@given(snapshots(), st.booleans())
def test_prometheus_reads_the_metrics_of_any_job(metrics: MetricsSnapshot, filtered: bool) -> None:
    registry = CollectorRegistry()
    registry.register(_Collector(metrics, filtered=filtered))
    text = generate_latest(registry).decode()
    read = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    assert len(read) == sum(not line.startswith("#") for line in text.splitlines())
    assert len({(sample.name, *sorted(sample.labels.items())) for sample in read}) == len(read)


@given(snapshots())
def test_a_logged_metric_is_a_line(metrics: MetricsSnapshot) -> None:
    lines = report_text(metrics).splitlines()
    assert len(lines) == 1 + len(metrics.metrics) + len({metric.kind for metric in metrics.metrics})
    assert all(line.isprintable() for line in lines)


@pytest.fixture(scope="module")
def page() -> Iterator[PageServer]:
    server = PageServer(PageSettings(ports=(0,), token=TOKEN))
    server.jobs.add(jobs.facts(), jobs.StandIn())
    yield server
    server.stop()


HONEST: Final = tuple(
    request.format(id=jobs.ID, token=TOKEN).encode()
    for request in (
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /page/jobs/{id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n\r\n",
        "GET /jobs/{id}/metrics?get=a,b HTTP/1.0\r\nAuthorization: Bearer {token}\r\n\r\n",
        "GET /jobs?token={token}&get=%61 HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\n\r\n",
        "HEAD /jobs/overview HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nAuthorization: Bearer {token}\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    )
)
pieces = st.one_of(
    st.binary(max_size=30),
    st.sampled_from([b"\r\n", b"\r\n\r\n", b":", b" ", b"%", b"\0", b"\xff", b"A" * 20_000, *HONEST]),
)


@st.composite
def requests(draw: st.DrawFn) -> list[bytes]:
    """An honest request with pieces replaced, in a few sends."""
    data = draw(st.sampled_from(HONEST))
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(data)))
        data = data[:first] + draw(pieces) + data[first + draw(st.integers(0, 10)) :]
    cut = draw(st.integers(0, len(data)))
    return [data[:cut], data[cut:]]


@given(st.one_of(requests(), st.lists(pieces, max_size=4)))
def test_any_bytes_are_refused_or_answered(page: PageServer, sent: list[bytes]) -> None:
    with socket.create_connection(("127.0.0.1", page.port), timeout=10) as connection:
        answer = b""
        try:
            for data in sent:
                connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(65_536)
        except OSError:
            pass
    assert answer == b"" or answer.startswith(b"HTTP/1.1 ")
    assert b"Traceback" not in answer
    assert not answer.startswith(b"HTTP/1.1 5")
    with closing(HTTPConnection("127.0.0.1", page.port, timeout=10)) as reader:
        reader.request("GET", "/jobs", headers={"Authorization": f"Bearer {TOKEN}"})
        assert reader.getresponse().status == 200
