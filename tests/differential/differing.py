"""Programs that do not give what PyFlink gives, by module and name, and why: their tests are expected to fail."""

from __future__ import annotations

_TIMES = "PyFlink gives results the time of the element or timer that made them, Flink in Java the window's"

OWED: dict[str, str] = {}
"""Those that are to give what PyFlink gives."""

BREAKING: dict[str, str] = {}
"""Those, too, but they would end the job that all share, so they do not even run."""

UNRECORDED: frozenset[str] = frozenset()
"""Those that have not run on PyFlink yet: ``make differential`` records them."""

NOT_DRIVEN: dict[str, str] = {
    "formats.offsets": "the driver gives a source what the test sends, whatever its starting offsets",
    "printing.printed_table_rows": "it is SQL",
    "process.two_jobs": "the driver runs the first job of a program",
    "process.without_sinks": "the driver runs the first job of a program",
}
"""Those that the test driver does not run, and why."""

EVIDENCE: dict[str, str] = {
    "batch.batch_aggregations": "A result of a rolling aggregation in BATCH has the time 2^63-1 in Flink, which Kafka does not take",
    "batch.batch_windows": "PyFlink loses elements of windows in BATCH",
    "formats.assigners_of_sources": "PyFlink drops a TimestampAssigner of from_source",
    "keys.equal_keys_with_a_type": "PyFlink's cache of states finds keys by Python's equality",
    "keys.equal_keys_without_a_type": "PyFlink's cache of states finds keys by Python's equality",
    "process.processing_time_timers": "PyFlink gives results of a processing-time timer its time, Flink in Java none",
    "process.time_to_live": "PyFlink's cache of states gives what has expired",
    "windows.merging_sessions_with_aggregates": "PyFlink loses elements of sessions that merge",
    **dict.fromkeys(
        (
            "windows.allowed_lateness",
            "windows.continuous_trigger",
            "windows.count_trigger",
            "windows.count_windows",
            "windows.global_windows",
            "windows.purging_count_trigger",
            "windows.sessions_with_lateness",
            "windows.windows_at_the_end",
        ),
        _TIMES,
    ),
}
"""Those where PyFlink is wrong, or cannot be followed: docs/porting/where-pyflink-differs.md has a row for each."""
