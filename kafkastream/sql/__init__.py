"""Flink SQL: types, tables, statements, options of connectors and formats, plans of queries; independent of Spark.

Begin with ``types`` and ``table``, the values that everything else is made of. A statement goes through the packages in this
order:

- ``syntax`` parses statements, and ``parser`` the queries in them.
- ``planner`` makes a query's plan, with expressions that ``expressions`` compiles; ``plan`` is the result, which the engine
  reads.
- ``connectors``, ``formats`` and ``files`` declare what a table's options may be, and make its source and sink.
- ``catalog`` holds the tables of a session, ``kafka_catalog`` finds tables in topics.

The modules are what these share: casts, families of types, texts of values, user-defined functions. Imported by ``table``,
``cdc``, ``operators`` and the engine.
"""
