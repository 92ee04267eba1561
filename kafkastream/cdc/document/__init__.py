"""The YAML document of a pipeline: text, variables, options, and the JSON schema.

Where to begin:

- ``reading``: from a text to a ``PipelineSpec``.
- ``tree``: from YAML to nodes with positions; the only module that knows the YAML library.
- ``variables``: what ``${name}`` stands for.
- ``sections``: from nodes to options and rules.
- ``schema``: the JSON schema of documents, made from the options' declarations.
"""
