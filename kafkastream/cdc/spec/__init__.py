"""Pipelines as frozen values: source, rules, sink and settings, the same from YAML and from Python.

Where to begin:

- ``pipeline``: ``PipelineSpec``, which has all parts and is run by the engine.
- ``kafka_source``, ``values_source``, ``values_reading`` and ``sources``: sources.
- ``kafka_sink``, ``postgres_sink``, ``simple_sinks`` and ``sinks``: sinks; a new sink is a class and a line in
``sinks``.
- ``rules``: transform and route rules; ``cdc.routing`` applies them.
- ``settings``: settings of the job.

Each option is declared once, with the field that holds it, and is read from a document by ``cdc.document``.
"""
