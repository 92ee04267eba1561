"""Plans joins.

Begin with ``joins``, which chooses the kind of a join. ``joins_on_pairs`` are those on pairs of equal columns,
``temporal_joins`` those with a version of a table, ``laterals`` and ``lateral_queries`` those with a table or a query
that reads the left row. ``join_conditions`` takes conditions apart, ``common_columns`` are those of USING and NATURAL,
``join_parts`` what all kinds share.

Imports ``expressions`` and ``plan``. Imported by the other packages of ``planner``.
"""
