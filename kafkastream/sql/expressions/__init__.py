"""Compiles expressions of Flink SQL from sqlglot's nodes to typed expressions of ``kafkastream.sql.plan``.

Begin with ``expression_compiler``, which dispatches on the class of a node, and ``column_scope``, the columns that names
may mean.

- ``function_calls`` calls functions by name, ``grammar_calls`` those with a syntax of their own, ``json_calls`` those with
  clauses; ``operator_expressions`` and ``intervals`` are what their names say.
- ``aggregate_calls`` finds aggregates, which the planner computes; ``aggregate_names`` and ``built_in_names`` are lists.
- ``common_types`` finds the types of UNION and VALUES.

Imported by ``sql.planner`` and ``table.api``.
"""
