"""Joins with state: regular, interval, window, temporal and lookup joins, and conditions on pairs of rows.

- ``join_inputs`` decides which rows are emitted without a match, ``join_state`` stores the rows of a regular
  join, and ``regular_join`` is the base of its operators.
- ``table_join``, ``table_interval_join``, ``window_join``, ``temporal_join`` and ``lookup_join`` are operators.
- ``pairs`` emits all pairs of rows with equal keys, for conditions that Spark evaluates, and ``matches`` turns the pairs
  that meet the condition into outer, semi and anti joins.

Imported by ``operators.table.table_operator_factory``.
"""
