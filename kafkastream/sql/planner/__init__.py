"""Plans query trees: FROM, joins, GROUP BY, windows, top-N.

Begin with ``query_planner``, whose ``SelectPlanner`` the other modules are called with, and ``select``, the order of a
SELECT's clauses.

- FROM: ``from_clause``, ``computed_columns``, ``window_table_functions``, ``table_functions``, ``hints``.
- Joins: ``joins``, with ``join_conditions`` and ``join_parts``; ``joins_on_pairs``, ``temporal_joins``, ``laterals`` and
  ``lateral_queries`` are kinds of them.
- Groups: ``grouping``, with ``grouping_sets``, ``group_windows``, ``aggregate_arguments`` and ``user_aggregates``.
- OVER: ``over_frames``, ``over_calls``, ``over_aggregates``, ``top_n``, ``qualify``.
- Queries in expressions: ``subqueries``, ``inner_queries``, ``scalar_queries``.
- Around a SELECT: ``ordering``, ``set_operations``.

Imports ``expressions``, ``parser`` and ``plan``. Imported by ``table`` and ``cdc``, never by the engine.
"""
