"""What Nexmark's queries cost: kafkastream beside Flink SQL.

::

    python benchmarks/nexmark.py --pyflink /path/to/venv/bin/python
    python benchmarks/nexmark.py --records 50000 --only q5                # a quick look

Linux only, on a machine with nothing else to do. It measures as ``benchmarks/throughput.py`` does.

The events of the connector ``nexmark`` are written to a topic, from which each query reads them as JSON; its rows are
discarded. ``tests/integration/test_nexmark.py`` compares the rows of each query with those of Flink.
"""

from __future__ import annotations

from typing import Final

from benchmarks import race
from benchmarks.contenders import Contender
from benchmarks.nexmark_queries import events_table
from benchmarks.serving import NEXMARK, Task
from kafkastream.table import EnvironmentSettings, TableEnvironment

_NOTES = ("Left out: q6, which Flink refuses; q12, by the wall clock; q13, whose side input Flink 2.2 cannot look up.",)


def fill(bootstrap_servers: str, topic: str, records: int) -> None:
    """Write the first ``records`` events to a topic."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("table.local-time-zone", "UTC")
    t_env.execute_sql(events_table(f"'connector' = 'nexmark', 'events.num' = '{records}'"))
    t_env.execute_sql(
        events_table(
            f"'connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', "
            f"'properties.bootstrap.servers' = '{bootstrap_servers}'",
            name="topic",
        )
    )
    t_env.execute_sql("INSERT INTO topic SELECT event_type, person, auction, bid FROM events").wait()


def check(task: Task, contender: Contender) -> None:
    """Accept every run that ends: there are no rows to look at."""


RACES: Final = race.Races({name: f"Nexmark {name}" for name in NEXMARK}, 1_000_000, check, _NOTES, fill)


if __name__ == "__main__":
    race.main(RACES, __doc__)
