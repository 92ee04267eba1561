"""Queries of SQL and the Table API in the test driver.

- ``driven_graph`` gives tables a source that a test fills, and a sink that keeps rows; ``driven_table`` is what tests see.
- ``query_rows`` computes rows between tables, operators and sinks, branch by branch (``branches``); ``row_chains`` takes
  them to the next operator.
- ``expressions`` computes typed expressions in Python, with ``functions`` and ``casts``.
"""
