"""Delta Lake tables as a sink of pipelines."""
