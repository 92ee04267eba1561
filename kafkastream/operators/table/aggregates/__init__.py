"""Aggregates with state: of each key, of windows and sessions, and of the rows before each row.

- ``group_aggregates`` is the state of a group: the number of its rows, and an accumulator for each call.
- ``accumulator`` is the interface of accumulators, ``accumulator_factory`` finds one for a call, and the
  ``accumulators_of_*`` and ``user_accumulators`` are theirs by topic.
- ``group_aggregate``, ``window_aggregate``, ``session_aggregate``, ``session_rows``, ``over_aggregate`` and ``over_changes``
  are operators; ``session_operator`` is the base of those of sessions.

Imported by ``operators.table.table_operator_factory``, and by the engine for partial aggregates in Arrow.
"""
