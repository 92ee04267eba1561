"""PostgreSQL as a sink of tables; the only package that imports psycopg.

Where to begin:

- ``settings``: the address of a database, and how tables are written.
- ``applier``: creates and alters tables, on the driver.
- ``writer``: writes changes of rows, on workers, each transaction exactly once.

Below them: ``types`` (types of columns), ``values`` (their values), ``statements`` (SQL of one table's upserts and
deletes), ``progress`` (the marker table), ``client`` (connections and errors).
``kafkastream.spark`` and above may import it.
"""
