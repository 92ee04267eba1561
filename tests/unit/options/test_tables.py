from __future__ import annotations

import enum

from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import boolean, enum_member, integer, list_of, millis_of_duration, text
from kafkastream.options.tables import markdown_table


class Mode(enum.Enum):
    EARLIEST = "earliest-offset"


TOPIC = Option[str | None](key="topic", parse=text, default=None, doc="What is read.")


def test_a_row_for_each_option_with_its_default() -> None:
    options = (
        TOPIC,
        Option[tuple[str, ...]](key="fields", parse=list_of(text), default=(), doc="Which fields."),
        Option(key="wait", parse=millis_of_duration, default=300_000, doc="How long: `a|b`.", deprecated_keys=("w",)),
        Option(key="pause", parse=millis_of_duration, default=0, doc="Not at all."),
        Option(key="check", parse=boolean, default=False, doc="Whether."),
        Option(key="mode", parse=enum_member(Mode), default=Mode.EARLIEST, doc="Where."),
        Option(key="rows", parse=integer, default=0, doc="How many."),
        OptionFamily(prefix="properties.", doc="For the client."),
    )
    assert markdown_table(options, required=(TOPIC,)).splitlines() == [
        "| Option | Default | Meaning |",
        "|---|---|---|",
        "| `topic` | (required) | What is read. |",
        "| `fields` | (none) | Which fields. |",
        r"| `wait` | `5 min` | How long: `a\|b`. Older: `w`. |",
        "| `pause` | `0 ms` | Not at all. |",
        "| `check` | `false` | Whether. |",
        "| `mode` | `earliest-offset` | Where. |",
        "| `rows` | `0` | How many. |",
        "| `properties.*` | (none) | For the client. |",
    ]
