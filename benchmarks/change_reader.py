"""How long a pipeline takes to make a row of a Kafka record, and JSON of the row again: µs per record, in one process.

::

    python -m benchmarks.change_reader
"""

from __future__ import annotations

import json
import timeit
from collections.abc import Iterator, Sequence

from kafkastream.cdc.formats.canal_reader import CanalInference, CanalJson
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.rows import encode_row

COUNT = 10_000
ROW = {
    "name": "customer name",
    "email": "a@example.com",
    "amount": 12.5,
    "price": 99.95,
    "active": True,
    "created": "2024-05-01 12:30:00",
    "note": "hello world",
}
SQL_TYPES = {"id": -5, "name": 12, "email": 12, "amount": 8, "price": 3, "active": 12, "created": 93, "note": 12}


def debezium(number: int, tables: int) -> dict[str, object]:
    """Return the event of a new row, of tables by turns."""
    source = {"connector": "mysql", "db": "shop", "table": f"orders{number % tables}", "ts_ms": 1714560000000}
    return {"before": None, "after": {"id": number} | ROW, "op": "c", "ts_ms": 1714560000000, "source": source}


def canal(number: int) -> dict[str, object]:
    """Return the event of a new row, whose values are texts."""
    row = {name: str(value) for name, value in ({"id": number} | ROW).items()}
    names = {"database": "shop", "table": "orders", "type": "INSERT", "isDdl": False, "pkNames": ["id"]}
    return {"data": [row], "old": None, "sqlType": SQL_TYPES, **names}


def cases() -> Iterator[tuple[str, ReadSettings, list[dict[str, object]]]]:
    """Return what is measured: its name, how records are read, and their values."""
    for tables in (1, 100):
        yield f"debezium-json, {tables} tables", ReadSettings(), [debezium(one, tables) for one in range(COUNT)]
    texts = ReadSettings(value=DebeziumJson(primitive_as_string=True))
    yield "debezium-json, primitives as text", texts, [debezium(one, 1) for one in range(COUNT)]
    yield "json", ReadSettings(value=Json()), [{"id": one} | ROW for one in range(COUNT)]
    yield "canal-json, AUTO", ReadSettings(value=CanalJson()), [canal(one) for one in range(COUNT)]
    typed = ReadSettings(value=CanalJson(inference=CanalInference.SQL_TYPE))
    yield "canal-json, SQL_TYPE", typed, [canal(one) for one in range(COUNT)]


def run(reader: ChangeReader, records: Sequence[bytes]) -> None:
    """Read all records and write their rows as JSON."""
    for record in records:
        for change in reader.read("orders", None, record):
            encode_row(change.after)


def measure(settings: ReadSettings, records: Sequence[bytes]) -> float:
    """Return the µs per record, the best of seven runs."""
    inference = ChangeReader(settings, {})
    schemas = dict(found for record in records[:100] for found in inference.infer("orders", None, record))
    reader = ChangeReader(settings, schemas)
    run(reader, records)
    return min(timeit.repeat(lambda: run(reader, records), number=1, repeat=7)) / len(records) * 1e6


if __name__ == "__main__":
    for name, settings, values in cases():
        print(f"{name:36}{measure(settings, [json.dumps(value).encode() for value in values]):6.2f} µs")
