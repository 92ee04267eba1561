"""Plan of a query: relations, their typed expressions, and operations with state. The engine reads nothing else of SQL.

Begin with ``relations`` (nodes) and ``expression`` (what they compute). ``functions`` has the built-in functions and
operators, ``casts`` the rules of CAST, ``spark_text`` prints Spark SQL. ``plan_builder`` puts one relation on another;
``query_node`` makes the job graph.
"""
