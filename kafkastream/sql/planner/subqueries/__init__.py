"""Plans queries in expressions: IN, EXISTS and scalar subqueries, each of which becomes a join.

Begin with ``subqueries``; ``inner_queries`` plans the query inside with the columns that it reads of the outer one, and
``scalar_queries`` those that give one value.

Imports ``planner.joins`` and ``planner.aggregates``. Imported by ``planner.select`` and ``planner.aggregates``.
"""
