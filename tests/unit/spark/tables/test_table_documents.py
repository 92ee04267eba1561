"""The examples of the vendors' pages: what their tables read, and what they write of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkastream.spark.plan.table_scan import scanned
from kafkastream.sql.connectors import KafkaTableSource, source_of
from tests.unit.spark.tables.frames import read, records, table, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ORDER = (
    '{"order_id":"202103241000000001", "order_channel":"webShop", "order_time":"2021-03-24 10:00:00", '
    '"pay_amount":"100.00", "real_pay":"100.00", "pay_time":"2021-03-24 10:02:03", "user_id":"0001", '
    '"user_name":"Alice", "area_id":"330106"}'
)
COLUMNS = (
    "order_id string, order_channel string, order_time timestamp(3), pay_amount double, real_pay double, "
    "pay_time string, user_id string, user_name string, area_id string"
)
WRITTEN = ORDER.replace('"100.00"', "100.0").replace(", ", ",")


def test_orders_as_json(session: SparkSession) -> None:
    definition = table(COLUMNS, {"format": "json"})
    source = source_of(definition)
    assert isinstance(source, KafkaTableSource)
    rows = scanned(records(session, [ORDER, WRITTEN]), definition, source)
    assert written(rows, definition, "__offset", "value") == [(0, WRITTEN), (1, WRITTEN)]


def test_metadata_of_messages_as_csv(session: SparkSession) -> None:
    options = {"format": "csv", "csv.field-delimiter": r"\u0001", "csv.quote-character": "'"}
    columns = (
        "`topic` String metadata virtual, `partition` int metadata virtual, `headers` MAP<STRING, BYTES> metadata virtual, "
        "`leader-epoch` INT metadata virtual, `offset` bigint metadata virtual, `timestamp-type` string metadata virtual, "
        "`message` string"
    )
    assert read(session, table(columns, options), [ORDER]) == [(0, "t", 3, {}, None, 0, "CreateTime", ORDER)]


def test_orders_by_key(session: SparkSession) -> None:
    definition = table(
        f"{COLUMNS}, PRIMARY KEY (order_id) NOT ENFORCED", {"key.format": "csv", "value.format": "json"}, "upsert-kafka"
    )
    source = source_of(definition)
    assert isinstance(source, KafkaTableSource)
    key = "202103241000000001"
    rows = scanned(records(session, [ORDER, None], [key, key]), definition, source)
    assert written(rows, definition, "key", "value") == [(key, WRITTEN), (key, None)]
