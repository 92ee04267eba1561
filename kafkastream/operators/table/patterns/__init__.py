"""MATCH_RECOGNIZE: patterns in the rows of a key.

- ``match_operator`` buffers rows until they are in order, and emits a row for each match.
- ``pattern_search`` processes the rows with the states of ``match_automaton``; ``java_heap`` orders partial matches.
- ``match_readings`` reads values from the rows of a match, and ``computed_values`` evaluates conditions on them.

Imported by ``operators.table.table_operator_factory``.
"""
