"""Job graph that a program builds: nodes, keyed operators and their inputs, and Flink's execution plan of it.

Begin with ``job_graph`` and ``graph_nodes``.
"""
