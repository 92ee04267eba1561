"""Matches of patterns are those of real Flink, over several micro-batches of Spark."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.matches.cases import CASES, COLUMNS, LATE, ROWS, SAMPLE, VIEWS
from tests.differential.matches.otherwise import ALLOWED, FAILING, NOT_LATE, REFUSED, VARIES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker

pytestmark = pytest.mark.timeout(900)  # the first test waits for all queries

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]
_AT_ONCE: Final = 15
OTHERS: Final = [
    name
    for name in CASES
    if "error" not in GOLDEN[name] and name not in {*SAMPLE, *ALLOWED, *REFUSED, *FAILING, *NOT_LATE, *VARIES}
]


@pytest.fixture(scope="module")
def ticker(kafka: KafkaBroker, spark: SparkSession) -> TableEnvironment:
    """Knows the table, of which a micro-batch reads nine rows; without the row that is late if each has a watermark."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "1")
    t_env.get_config().set_local_timezone("UTC")
    topic = f"ticker-{uuid.uuid4().hex[:8]}"
    kafka.create_topic(topic)
    kafka.produce(topic, [json.dumps(row) for row in ROWS if row["id"] != LATE])
    options = {
        "connector": "kafka",
        "topic": topic,
        "properties.bootstrap.servers": kafka.bootstrap_servers,
        "properties.spark.maxOffsetsPerTrigger": "9",
        "scan.startup.mode": "earliest-offset",
        "scan.bounded.mode": "latest-offset",
        "format": "json",
    }
    given = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    t_env.execute_sql(f"CREATE TABLE ticker ({COLUMNS}) WITH ({given})")
    for name, query in VIEWS.items():
        t_env.execute_sql(f"CREATE TEMPORARY VIEW {name} AS {query}")
    return t_env


def as_text(number: int, name: str) -> str:
    """A query whose rows are one text, with the number of the query before it."""
    columns = (one.partition(" ")[0] for one in GOLDEN[name]["columns"])
    texts = ", ".join(f"COALESCE(CAST(`{one}` AS STRING), 'None')" for one in columns)
    return f"SELECT {number} AS q, CONCAT_WS('|', {texts}) AS r FROM ({CASES[name]})"


def tables(t_env: TableEnvironment, names: Sequence[str]) -> Mapping[str, Counter[str]]:
    """The rows that queries give, some of them in one job."""
    left: dict[str, Counter[str]] = {name: Counter() for name in names}
    for begin in range(0, len(names), _AT_ONCE):
        numbers = range(begin, min(begin + _AT_ONCE, len(names)))
        with t_env.execute_sql(" UNION ALL ".join(as_text(at, names[at]) for at in numbers)).collect() as rows:
            for row in rows:
                text = "|".join(cell.removesuffix(".000") for cell in row[1].split("|"))
                left[names[row[0]]][text] += 1 if row.get_row_kind().value in {0, 2} else -1
    return left


def wanted(name: str) -> Counter[str]:
    """The rows on Flink; those of changes are what is left."""
    left: Counter[str] = Counter()
    for kind, *cells in GOLDEN[name]["rows"]:
        text = "|".join({"True": "TRUE", "False": "FALSE"}.get(str(one), str(one)) for one in cells)
        left[text] += 1 if kind in {"+I", "+U"} else -1
    return +left


@pytest.fixture(scope="module")
def sample(ticker: TableEnvironment) -> Mapping[str, Counter[str]]:
    """What the queries of the sample give."""
    return tables(ticker, SAMPLE)


@pytest.fixture(scope="module")
def others(ticker: TableEnvironment) -> Mapping[str, Counter[str]]:
    """What the other queries give."""
    return tables(ticker, OTHERS)


@pytest.mark.parametrize("name", SAMPLE)
def test_query_gives_the_rows_of_flink(name: str, sample: Mapping[str, Counter[str]]) -> None:
    assert +sample[name] == wanted(name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
def test_other_query_gives_the_rows_of_flink(name: str, others: Mapping[str, Counter[str]]) -> None:
    assert +others[name] == wanted(name)
