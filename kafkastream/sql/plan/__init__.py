"""Plan of a query: relations, typed expressions, and stateful operations. The engine reads nothing else of SQL.

Begin with ``relations`` (nodes) and ``expression`` (their expressions). ``functions`` has the built-in functions and
operators, ``casts`` the rules of CAST, ``spark_text`` prints Spark SQL. ``plan_builder`` builds relations on others;
``query_node`` makes the job graph.
"""
