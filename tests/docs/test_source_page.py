"""The table of builder methods on the source's page, made of the page of what is supported.

Run as a program, it writes the table anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "kafka-source.md"
MARK = "<!-- The table is made by tests/docs/test_source_page.py. -->\n\n"
ROW = re.compile(r"^\| (?P<names>`KafkaSource.*?) \| (?P<status>\w[\w ]*) \|(?P<note>.*)\|$", re.MULTILINE)
ABSENT = "-"


def camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def lines() -> Iterator[str]:
    yield "| Here | PyFlink | Java | Status |"
    yield "|---|---|---|---|"
    for row in ROW.finditer((DOCS / "support.md").read_text(encoding="utf-8")):
        for name in re.findall(r"`KafkaSource(?:Builder)?\.(\w+)`", row["names"]):
            here = ABSENT if row["status"] == "not yet" else f"`{name}`"
            lacks = "Flink lacks it" in row["note"] or row["status"] == "not yet"
            java = ABSENT if "Ours, Flink lacks it" in row["note"] else f"`{camel_case(name)}`"
            yield f"| {here} | {ABSENT if lacks else f'`{name}`'} | {java} | {row['status']} |"


def table() -> str:
    return "\n".join(lines()) + "\n"


def test_table_is_that_of_the_support_page() -> None:
    assert PAGE.read_text(encoding="utf-8").partition(MARK)[2] == table()


def test_table_has_every_method_of_the_builder() -> None:
    from kafkastream.datastream.connectors.kafka import KafkaSourceBuilder

    methods = {name for name in vars(KafkaSourceBuilder) if re.fullmatch(r"[a-z]+(_[a-z]+)*", name)}
    methods -= {camel_case(name) for name in methods if "_" in name}
    assert methods <= set(re.findall(r"^\| `(\w+)`", table(), re.MULTILINE))


if __name__ == "__main__":
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(before + mark + table(), encoding="utf-8")
