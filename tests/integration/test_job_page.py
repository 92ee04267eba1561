"""The job page of a keyed job at work, in a real browser: its numbers live, its colours, its widths, its button.

``KAFKASTREAM_PICTURES=docs pytest tests/integration/test_job_page.py`` writes the pictures of docs/job-page.md again.
"""

from __future__ import annotations

import json
import os
import re
import time
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import pytest

from kafkastream.common import Configuration, Duration, JobStatus, TimestampAssigner, Types, WatermarkStrategy
from kafkastream.datastream import (
    FilterFunction,
    KeyedProcessFunction,
    MapFunction,
    RuntimeContext,
    StreamExecutionEnvironment,
)
from kafkastream.model.functions.keyed_state import ValueState
from kafkastream.model.functions.state_descriptors import ValueStateDescriptor
from kafkastream.model.job.job_result import JobClient
from kafkastream.testing import KafkaBroker, Record, wait_until
from tests.browser import Browser, browser
from tests.package import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Parts

PICTURES: Final = os.environ.get("KAFKASTREAM_PICTURES")
TOPICS: Final = ("shop.orders", "shop.totals", "shop.alerts")
PARTITIONS: Final = 4
ORDERS: Final = 24_000
PER_BATCH: Final = 600
CUSTOMERS: Final = 50
SECRET: Final = "not-to-be-shown"
WIDE, PHONE = 1280, 390
TOP: Final = 930  # with the tiles, the graph and the charts


def order(number: int, now: int) -> str:
    return json.dumps({"id": number, "customer": number % CUSTOMERS, "amount": number % 97, "at": now + number})


class Parsed(MapFunction[str, dict[str, int]]):
    """Reads an order; the first attempt fails at one of them."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def map(self, value: str) -> dict[str, int]:
        found: dict[str, int] = json.loads(value)
        if found["id"] == ORDERS // 12 and not self.mark.exists():
            self.mark.touch()
            raise ConnectionError("the service of customers does not answer")
        return found


class Times(TimestampAssigner[str]):
    def extract_timestamp(self, value: str, record_timestamp: int) -> int:
        return int(json.loads(value)["at"])


class Large(FilterFunction[dict[str, int]]):
    def filter(self, value: dict[str, int]) -> bool:
        return value["amount"] >= 90


class Total(KeyedProcessFunction[int, dict[str, int], str]):
    """Adds up the amounts of a customer."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.total: ValueState[int] = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value: dict[str, int], ctx: KeyedProcessFunction.Context) -> Iterable[str]:
        total = (self.total.value() or 0) + value["amount"]
        self.total.update(total)
        yield f"{value['customer']} {total}"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@attrs.frozen
class Shop:
    """The job, and the address of its page."""

    client: JobClient
    address: str

    def read(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}{path}", timeout=10) as answer:
            return json.load(answer)


@pytest.fixture
def shop(
    parts: Parts,
    kafka: KafkaBroker,
    spark: SparkSession,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[Shop]:
    orders, totals, alerts = TOPICS
    for topic in TOPICS:  # names that are good to read in pictures
        kafka.create_topic(topic, PARTITIONS if topic == orders else 1)
    now = int(time.time() * 1000) - ORDERS
    # The last partition stays empty, and idle.
    kafka.produce(orders, [Record(order(n, now), partition=n % (PARTITIONS - 1)) for n in range(ORDERS)])
    settings = {
        "rest.port": "0",
        "my.password": SECRET,
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "1 s",
    }
    configuration = Configuration()
    for key, value in settings.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    builder = parts.unbound(orders).set_property("spark.maxOffsetsPerTrigger", str(PER_BATCH))
    watermarks = (
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
        .with_timestamp_assigner(Times())
        .with_idleness(Duration.of_seconds(10))
    )
    stream = env.from_source(parts.text(builder), watermarks, "orders")
    parsed = stream.map(Parsed(tmp_path / "has failed")).name("parsed orders")
    keyed = parsed.key_by(lambda value: value["customer"], Types.LONG())
    keyed.process(Total(), Types.STRING()).name("total per customer").sink_to(parts.sink(totals)).name("totals")
    parsed.filter(Large()).name("large orders").map(json.dumps, Types.STRING()).name("as JSON").sink_to(
        parts.sink(alerts)
    ).name("alerts")
    client = env.execute_async("orders per customer")
    found = re.search(r"has a page: (http://localhost:\d+/)", capfd.readouterr().err)
    assert found
    yield Shop(client, found[1])
    client.cancel().result(60)
    for topic in TOPICS:
        kafka.delete_topic(topic)


def records_of(chromium: Browser) -> int:
    """The whole number of records, which the tile has as its hint."""
    return int(str(chromium.run("return document.querySelector('.tile')?.title ?? '0'")).replace(",", "") or 0)


def lag_of(chromium: Browser) -> int:
    title = str(chromium.run("return document.querySelectorAll('.tile')[1]?.title ?? '0'"))
    return int(title.replace(",", "")) if title[:1].isdigit() else -1


def counted(chromium: Browser, selector: str) -> int:
    """Return the count of elements on the page."""
    return int(chromium.run("return document.querySelectorAll(arguments[0]).length", selector))


@pytest.mark.timeout(400)
def test_the_page_of_a_keyed_job_is_live(shop: Shop, chromium: Browser, tmp_path: Path) -> None:
    chromium.looks(WIDE)
    chromium.driver.get(shop.address)
    wait_until(lambda: chromium.text(".status") == "running", 60, "the page")
    numbers_move(chromium)
    the_failure_is_told(chromium)
    wait_until(lambda: records_of(chromium) > ORDERS // 4, 120, "a quarter of the orders")
    partitions_and_batches_are_shown(chromium)
    documents_agree(shop, chromium)
    pictures(chromium, Path(PICTURES or tmp_path))
    settings_are_masked(chromium)
    nothing_came_from_elsewhere(shop, chromium)
    the_button_stops_the_job(shop, chromium)


def numbers_move(chromium: Browser) -> None:
    """Records rise and the lag falls, without the page being loaded again."""
    chromium.run("window.was_here = true")
    wait_until(lambda: records_of(chromium) > 0 and lag_of(chromium) > 0, 90, "the first records")
    records, lag = records_of(chromium), lag_of(chromium)
    wait_until(lambda: records_of(chromium) > records and 0 <= lag_of(chromium) < lag, 90, "more records, less lag")
    assert chromium.run("return window.was_here") is True


def the_failure_is_told(chromium: Browser) -> None:
    wait_until(lambda: "ConnectionError" in chromium.text(".failure pre"), 90, "the failure")
    assert "restart 1 after 1.0 s" in chromium.text(".failure summary")
    wait_until(lambda: chromium.text(".status") == "running", 60, "the restart")
    wait_until(lambda: "Was restarted once" in chromium.text(".health"), 30, "the health")


def partitions_and_batches_are_shown(chromium: Browser) -> None:
    rows = chromium.texts(".partitions tbody tr")
    assert len(rows) == PARTITIONS
    only_last = [False] * (PARTITIONS - 1) + [True]
    wait_until(
        lambda: ["idle" in row for row in chromium.texts(".partitions tbody tr")] == only_last, 90, "one idle partition"
    )
    assert all("behind" in row or "ahead" in row for row in rows[:-1])
    boxes = chromium.texts(".box")
    assert len(boxes) == 7
    assert all("/s" in box for box in boxes)
    wait_until(lambda: counted(chromium, ".chart path.line") == 2, 60, "the lines of the chart")
    wait_until(lambda: counted(chromium, ".chart rect.work") >= 5, 60, "the micro-batches of the chart")


def documents_agree(shop: Shop, chromium: Browser) -> None:
    """The JSON under Flink's paths says what the page says."""
    (job,) = shop.read("jobs/overview")["jobs"]
    assert (job["name"], job["state"]) == ("orders per customer", "RUNNING")
    details = shop.read(f"jobs/{job['jid']}")
    source = details["vertices"][0]
    ask = f"jobs/{job['jid']}/vertices/{source['id']}/metrics?get=0.numRecordsOut,1.numRecordsOut"
    counts = [int(one["value"]) for one in shop.read(ask)]
    assert ORDERS // 6 <= sum(counts) <= ORDERS
    keyed = next(one for one in details["vertices"] if one["name"] == "total per customer")
    times = shop.read(f"jobs/{job['jid']}/vertices/{keyed['id']}/watermarks")
    assert abs(int(times[0]["value"]) - time.time() * 1000) < 600_000
    assert shop.read(f"jobs/{job['jid']}/checkpoints")["latest"]["completed"]["state_size"] > 0
    assert shop.read(f"jobs/{job['jid']}/metrics?get=numRestarts") == [{"id": "numRestarts", "value": "1"}]
    assert (
        "ConnectionError" in shop.read(f"jobs/{job['jid']}/exceptions")["exceptionHistory"]["entries"][0]["stacktrace"]
    )


def pictures(chromium: Browser, folder: Path) -> None:
    """Nothing overlaps at any width, and dark colours are dark."""
    colours = {}
    # Pictures are for readers elsewhere, to whom the folder of the tests means nothing.
    shorten = "for (const text of document.querySelectorAll('pre')) text.textContent = text.textContent.replaceAll(arguments[0], '')"
    chromium.run(shorten, f"{ROOT}/")
    for name, width, dark in (("light", WIDE, False), ("dark", WIDE, True), ("phone", PHONE, False)):
        chromium.picture(folder / f"job-page-{name}.png", width, dark=dark)
        assert not chromium.is_too_wide, name
        assert not chromium.overlaps(".box"), name
        assert not chromium.overlaps("main > section, main > details"), name
        colours[name] = chromium.run("return getComputedStyle(document.body).backgroundColor")
    assert colours["light"] == colours["phone"] != colours["dark"]
    chromium.picture(folder / "job-page.png", WIDE, height=TOP)
    chromium.looks(WIDE)


def settings_are_masked(chromium: Browser) -> None:
    chromium.run("document.querySelectorAll('details.card > summary').forEach((one) => one.click())")
    wait_until(lambda: len(chromium.texts(".settings tr")) > 3, 10, "the settings")
    shown = dict(row.split("\t") for row in chromium.texts(".settings tr"))
    assert shown["my.password"] == "***"
    assert SECRET not in chromium.driver.page_source
    assert any("numRecordsIn" in row for row in chromium.texts(".metrics tr"))


def nothing_came_from_elsewhere(shop: Shop, chromium: Browser) -> None:
    names = chromium.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert len(names) > 5
    assert [name for name in names if not name.startswith(shop.address)] == []
    told = chromium.driver.get_log("browser")  # type: ignore[no-untyped-call]  # selenium declares no types for it
    assert [entry for entry in told if entry["level"] == "SEVERE"] == []


def the_button_stops_the_job(shop: Shop, chromium: Browser) -> None:
    chromium.click("button.cancel")
    wait_until(lambda: "Keep it running" in chromium.text("header"), 10, "the question")
    assert shop.client.get_job_status().result() is JobStatus.RUNNING
    chromium.click("button.sure")
    wait_until(lambda: shop.client.get_job_execution_result().done(), 60, "the end of the job")
    assert shop.client.get_job_status().result() is JobStatus.CANCELED
    wait_until(lambda: chromium.text(".status") == "canceled", 30, "the page")
    assert "Was stopped after" in chromium.text(".health")
    assert chromium.texts("button.cancel") == []
