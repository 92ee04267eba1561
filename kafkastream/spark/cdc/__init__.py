"""The engine of YAML pipelines: records to changes, changes to a sink, schemas that follow the records.

- ``query``: the driver's side. Runs a micro-batch; where records do not fit the schemas, widens these and goes on.
- ``decoder``: a worker's side. Reads changes until a record does not fit, then looks for schemas in the rest.
- ``router``: takes changes to the sink's tables, as ``cdc.processing`` wants.
- ``starting``: the first schemas, from DDL or from the newest records.
"""
