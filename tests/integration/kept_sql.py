"""Write the checkpoint of SQL that ``test_kept_checkpoints.py`` goes on with: ``python -m tests.integration.kept_sql``.

Each operator of SQL with state has a query. Kept as ``kept_checkpoints.py`` has it: never written over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kafkastream.common.job_client import JobClient
from kafkastream.testing import KafkaBroker, wait_until
from tests.integration.kept_checkpoints import KeptJobs, Round, table_environment

ORDERS, PAYMENTS, RATES, RESULTS = "kept-sql-orders", "kept-sql-payments", "kept-sql-rates", "kept-sql-results"

ROUNDS: Final[Sequence[Round]] = (
    {
        ORDERS: [("ann", 5, 0), ("bob", 7, 1_000), ("ann", 2, 2_000)],
        PAYMENTS: [("ann", 50, 500), ("cid", 1, 2_000)],
        RATES: [("ann", 2, 0), ("bob", 3, 0)],
    },
    {
        ORDERS: [("ann", 1, 3_000), ("end", 0, 60_000)],
        PAYMENTS: [("bob", 70, 2_500), ("end", 0, 60_000)],
        RATES: [("ann", 4, 2_500), ("end", 1, 60_000)],
    },
)
"""What was read before the checkpoint, and what comes after it."""

QUERIES: Final = {
    "over": """
        SELECT who, amount, SUM(amount) OVER (PARTITION BY who ORDER BY ts ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)
        FROM orders
    """,
    "top": """
        SELECT who, place, amount FROM (
          SELECT who, amount, ROW_NUMBER() OVER (PARTITION BY who ORDER BY amount) AS place FROM orders
        ) WHERE place <= 2
    """,
    "last": """
        SELECT who, 0, amount FROM (
          SELECT who, amount, ROW_NUMBER() OVER (PARTITION BY who ORDER BY ts DESC) AS place FROM orders
        ) WHERE place = 1
    """,
    "match": """
        SELECT who, high, low FROM orders MATCH_RECOGNIZE (
          PARTITION BY who ORDER BY ts MEASURES A.amount AS high, B.amount AS low
          AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) DEFINE B AS B.amount < A.amount
        )
    """,
    "left": "SELECT o.who, o.amount, p.amount FROM orders o LEFT JOIN payments p ON o.who = p.who AND p.amount >= 10 * o.amount",
    "exists": "SELECT who, amount, 0 FROM orders o WHERE EXISTS (SELECT 1 FROM payments p WHERE p.who = o.who AND p.amount > 60)",
    "group": "SELECT who, MIN(amount), CAST(COUNT(DISTINCT amount) AS INT) FROM orders GROUP BY who",
    "session": """
        SELECT who, 0, SUM(amount) FROM SESSION(TABLE orders PARTITION BY who, DESCRIPTOR(ts), INTERVAL '5' SECOND)
        GROUP BY who, window_start, window_end
    """,
    "temporal": "SELECT o.who, o.amount, o.amount * r.amount FROM orders o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.who = r.who",
    "interval": """
        SELECT o.who, o.amount, p.amount FROM orders o JOIN payments p
        ON o.who = p.who AND o.ts BETWEEN p.ts - INTERVAL '2' SECOND AND p.ts + INTERVAL '2' SECOND
    """,
    "intersect": "SELECT who, 0, 0 FROM (SELECT who FROM orders INTERSECT SELECT who FROM payments)",
}

FIRST: Final = {
    *("over ann 5 5", "over bob 7 7", "over ann 2 7", "match ann 5 2", "temporal ann 5 10", "intersect ann 0 0"),
    *("top ann 1 2", "top ann 2 5", "top bob 1 7", "last ann 0 2", "last bob 0 7", "group ann 2 2", "group bob 7 1"),
    *("interval ann 5 50", "interval ann 2 50", "left ann 5 50", "left ann 2 50", "left bob 7 None"),
}
"""Rows that the first round leads to."""
SECOND: Final = {
    *("over ann 1 8", "top ann 1 1", "top ann 2 2", "last ann 0 1", "match ann 2 1", "left ann 1 50", "left bob 7 70"),
    *("exists bob 7 0", "group ann 1 3", "session ann 0 8", "session bob 0 7", "temporal ann 2 4", "temporal ann 1 4"),
    *("temporal bob 7 21", "interval bob 7 70", "intersect bob 0 0"),
}
"""Rows that the second round leads to, into a topic that does not have those of the first."""


def started(servers: str, checkpoints: Path) -> Sequence[JobClient]:
    """Start the job, a union of all queries."""
    t_env = table_environment(checkpoints, "kept SQL")
    columns = "amount INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR ts AS ts"
    topics = f"'properties.bootstrap.servers' = '{servers}', 'topic'"
    upsert = f"'connector' = 'upsert-kafka', 'value.format' = 'json', {topics}"
    for name, topic in (("orders", ORDERS), ("payments", PAYMENTS)):
        options = f"'connector' = 'kafka', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset', {topics}"
        t_env.execute_sql(f"CREATE TABLE {name} (who STRING, {columns}) WITH ({options} = '{topic}')")
    t_env.execute_sql(
        f"CREATE TABLE rates (who STRING PRIMARY KEY NOT ENFORCED, {columns}) WITH ({upsert} = '{RATES}', 'key.format' = 'raw')"
    )
    t_env.execute_sql(
        "CREATE TABLE results (query STRING, who STRING, a INT, b INT, PRIMARY KEY (query, who, a) NOT ENFORCED) "
        f"WITH ({upsert} = '{RESULTS}', 'key.format' = 'json')"
    )
    rows = " UNION ALL ".join(
        f"SELECT '{name}', who, CAST(a AS INT), CAST(b AS INT) FROM ({query}) AS q (who, a, b) WHERE who <> 'end'"
        for name, query in QUERIES.items()
    )
    job = t_env.execute_sql(f"INSERT INTO results {rows}").get_job_client()
    assert job is not None
    return [job]


def await_round(kafka: KafkaBroker, round_: int) -> None:
    """Wait until everything is there that a round leads to.

    Raises:
        TimeoutError: Something is missing.
    """
    wait_until(lambda: results(kafka) >= (FIRST, SECOND)[round_], 300, "the results")


def results(kafka: KafkaBroker) -> set[str]:
    """Return the rows that have been written and not deleted."""
    rows = {record.key: record.value for record in kafka.consume(RESULTS)}
    return {" ".join(map(str, json.loads(value).values())) for value in rows.values() if value}


JOBS: Final = KeptJobs(
    Path(__file__).with_name("kept_sql"), (ORDERS, PAYMENTS, RATES, RESULTS), ROUNDS, started, await_round
)

if __name__ == "__main__":
    JOBS.keep()
