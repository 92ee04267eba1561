"""A pipeline as frozen values: source, rules, sink and settings, whichever door they come through.

Where to begin:

- ``pipeline``: ``PipelineSpec``, which has all parts; the engine runs it.
- ``kafka_source``, ``values_source``, ``values_reading`` and ``sources``: what is read.
- ``kafka_sink``, ``postgres_sink``, ``simple_sinks`` and ``sinks``: what is written; a new sink is a class and a line in ``sinks``.
- ``rules``: transform and route rules as they are given; ``cdc.routing`` applies them.
- ``settings``: the settings of the job.

Each option is declared once, beside the field that it is, and read from a document by ``cdc.document``.
"""
