"""Plans MATCH_RECOGNIZE.

Begin with ``match_recognize``, the clauses; ``match_conditions`` plans DEFINE and ``match_expressions`` the expressions
of DEFINE and MEASURES.

Imports ``expressions`` and ``plan``. Imported by ``planner.from_clause``.
"""
