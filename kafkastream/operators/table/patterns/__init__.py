"""MATCH_RECOGNIZE: patterns in the rows of a key.

- ``match_operator`` lets rows wait for their turn, and emits a row for each match.
- ``pattern_search`` takes row by row, with the states of ``match_automaton``; ``java_heap`` orders partial matches.
- ``match_readings`` gives the values of rows of a match, and ``computed_values`` computes conditions from them.

Imported by ``operators.table.table_operator_factory``.
"""
