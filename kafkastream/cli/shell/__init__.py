"""Interactive SQL shell: ``prompt`` reads statements, ``shell_session`` executes them, ``live_table`` shows the rows of queries."""
