"""Expressions and operations of the Table API, which are written as Flink SQL and planned as any query.

Begin with ``query_table``, the base of ``Table``, and ``operation``, which writes the query of a call and plans it.

- ``expression_tree`` is the tree of an expression, and ``sql_text`` its SQL; ``tree_methods`` is the base of the modules
  ``*_methods`` with the methods of ``Expression``, and the modules ``*constructors`` make expressions of values.
- ``column_operations``, ``row_operations``, ``joined_rows`` and ``grouped_rows`` have the methods of tables;
  ``operation_text``, ``select_text`` and ``window_text`` write them.
- ``data_frames`` and ``pandas_rows`` convert to pandas and back.

Imported by the modules of ``table`` at PyFlink's paths alone.
"""
