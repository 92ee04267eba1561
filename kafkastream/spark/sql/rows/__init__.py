"""Rows on their way between Spark, keyed operators and sinks: their serialized form, and the tasks that take them.

Begin with ``wire_values``, the values of rows in keyed operators, and ``row_elements``, which decodes rows to elements.

- Before an operator with state: ``stream_rows``, and ``local_aggregate``, ``columnar_parts`` and ``columnar_windows`` for
  aggregates that begin in Arrow.
- After one: ``row_task``.
- To a sink: ``sink_rows`` has the registry of table writers; ``jdbc_rows``, ``changed_rows``, ``element_columns`` and
  ``element_values`` are forms of rows for sinks.

Imported by ``spark.plan`` and ``spark.job``.
"""
