"""Messages as rows and back, one module or two for each format, and the types of tables as Spark's.

Begin with ``table_formats``: which module reads and writes a format.
"""
