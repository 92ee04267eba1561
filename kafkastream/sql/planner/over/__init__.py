"""Plans OVER windows, and the queries on row numbers: Top-N, deduplication and QUALIFY.

Begin with ``over_aggregates``. ``over_frames`` are the windows, named ones too, ``over_calls`` the functions that need
one, ``top_n`` the queries that keep the first row numbers, ``qualify`` the clause of this name.

Imports ``expressions`` and ``plan``. Imported by ``planner.select`` and ``planner.aggregates``.
"""
