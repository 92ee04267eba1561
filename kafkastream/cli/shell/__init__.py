"""Interactive SQL shell: ``prompt`` reads statements, ``session`` executes them, ``live_table`` shows the rows of queries."""
