"""Parser of Flink SQL's statements: from text to frozen values, with line and column in every error.

Begin with ``parser``, which dispatches on the first word, and ``statements``, the values.

- ``tokens`` splits a text, ``cursor`` walks over the tokens, ``source`` shows positions in errors.
- ``ddl``, ``tables``, ``columns``, ``like`` and ``checks`` parse CREATE and DROP; ``inserts`` and ``commands`` the others.
- ``expressions`` leaves expressions and queries as text, for ``sql.parser``; ``data_types`` parses types.

Knows no connector and no session. Imported by ``sql.parser``, ``table`` and the command line.
"""
