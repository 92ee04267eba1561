"""Operators of Flink SQL with state: they take rows with kinds by key, and emit rows with kinds.

Begin with ``table_operator``, their base, and ``table_operator_factory``, which finds the operator of a plan's operation.

- ``aggregates`` and ``joins`` have packages of their own.
- ``deduplicate``, ``top_n_operator``, ``sort_operator``, ``normalize`` and ``materialize`` choose or order rows.
- ``table_rows``, ``row_ordering``, ``time_columns``, ``window_end`` and ``multiset`` are what operators have in common.

Plain Python: nothing here knows Spark. Imported by ``operators.operator_factory`` and by the engine.
"""
