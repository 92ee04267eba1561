"""Programs that do not give what PyFlink gives, by module and name, and why: their tests are expected to fail."""

from __future__ import annotations

_VALUES = "the record is of a Flink without chains of Python operators; the same setting is to be given here"
_TIMES = "PyFlink gives results the time of the element or timer that made them, Flink in Java the window's"
_CALLS = "PyFlink pickles functions at the call, here that is done by execute"

OWED: dict[str, str] = {
    "process.fields_of_functions": _CALLS,
    "process.processing_time_timers": "PyFlink gives results of a processing-time timer its time, Flink in Java none",
    **dict.fromkeys(
        (
            "values.containers",
            "values.dates_and_times",
            "values.decimals",
            "values.fractions",
            "values.nested_rows",
            "values.rows",
            "values.rows_of_every_type",
            "values.texts_and_bytes",
            "values.tuples",
            "values.whole_numbers_of_other_types",
        ),
        _VALUES,
    ),
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
"""Those that are to give what PyFlink gives, or to be decided."""

BREAKING: dict[str, str] = {
    "keys.keys_of_several_fields": "a list is a key only where the element is serialized: the same setting is to be given here"
}
"""Those, too, but they would end the job that all share, so they do not even run."""

UNRECORDED: frozenset[str] = frozenset(
    {
        "batch.batch_aggregations",
        "batch.batch_of_two_streams",
        "batch.batch_state",
        "batch.batch_timers",
        "batch.batch_windows",
        "keys.keys_of_numbers",
        "keys.keys_of_texts_and_times",
        "printing.printed_behind_operators",
        "process.functions_at_their_call",
        "values.flat_maps",
        "values.pickled",
        "values.whole_numbers",
    }
)
"""Those that have not run on PyFlink yet: ``make differential`` records them."""

EVIDENCE: dict[str, str] = {
    "formats.assigners_of_sources": "PyFlink drops a TimestampAssigner of from_source",
    "keys.equal_keys_without_a_type": "PyFlink's cache of states finds keys by Python's equality",
    "process.time_to_live": "PyFlink's cache of states gives what has expired",
    "windows.merging_sessions_with_aggregates": "PyFlink loses elements of sessions that merge",
}
"""Those where PyFlink is wrong, or cannot be followed: docs/porting/where-pyflink-differs.md has a row for each."""
