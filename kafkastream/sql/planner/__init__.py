"""Plans query trees: FROM, joins, GROUP BY, windows, top-N.

Begin with ``query_planner``, whose ``SelectPlanner`` the other modules are called with, and ``select``, the order of a
SELECT's clauses.

- FROM: ``from_clause``, ``computed_columns``, ``window_table_functions``, ``table_functions``, ``hints``; ``joins``.
- Rows: ``aggregates`` plans GROUP BY, ``over`` OVER windows and Top-N, ``patterns`` MATCH_RECOGNIZE.
- Queries in expressions: ``subqueries``.
- Around a SELECT: ``ordering``, ``set_operations``.

Imports ``expressions``, ``parser`` and ``plan``. Imported by ``table`` and ``cdc``, never by the engine.
"""
