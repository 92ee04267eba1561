"""Session behind a ``TableEnvironment``: its tables and functions, and the statements that are executed in it.

Begin with ``session_planner``, which knows the session's tables and plans queries, and ``statements``, which executes
a statement: ``ddl`` those that create, change and drop, ``describe_show`` those that list, ``explain`` EXPLAIN.
``catalog_environment``, ``descriptor_environment`` and ``function_environment`` are the methods of the environment by
topic, ``function_registration`` declares user functions, ``ddl_text`` writes declarations as SQL, ``script`` runs files
of statements.

Imported by the modules of ``table`` at PyFlink's paths.
"""
