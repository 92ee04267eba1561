"""Plans GROUP BY.

Begin with ``grouping``. ``grouping_sets`` are those of GROUPING SETS, CUBE and ROLLUP, ``group_windows`` the functions
TUMBLE, HOP and SESSION in GROUP BY, ``aggregate_arguments`` and ``user_aggregates`` the calls of aggregate functions.

Imports ``expressions`` and ``plan``. Imported by ``planner.select`` and ``planner.over``.
"""
