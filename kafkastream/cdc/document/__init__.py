"""YAML documents of pipelines: parsing, variables, options, and the JSON schema.

Where to begin:

- ``reading``: from text to a ``PipelineSpec``.
- ``tree``: from YAML to nodes with positions; the only module that imports the YAML library.
- ``variables``: substitution of ``${name}``.
- ``sections``: from nodes to options and rules.
- ``schema``: the JSON schema of documents, generated from the options' declarations.
"""
