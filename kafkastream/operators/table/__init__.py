"""Stateful operators of Flink SQL: they process keyed rows with row kinds, and emit rows with row kinds.

Start reading at ``table_operator``, their base, and ``table_operator_factory``, which creates the operator of an operation.

- ``aggregates`` and ``joins`` have packages of their own.
- ``deduplicate``, ``top_n_operator``, ``sort_operator``, ``normalize`` and ``materialize`` choose or order rows.
- ``table_rows``, ``row_ordering``, ``time_columns``, ``window_end`` and ``multiset`` are shared by the operators.

Plain Python: nothing here knows Spark. Imported by ``operators.operator_factory`` and by the engine.
"""
