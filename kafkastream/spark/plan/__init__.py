"""Compiles job graphs and SQL plans to Spark DataFrames, on the driver.

Begin with ``chain_compiler``: a part of the job graph becomes chains for its tasks; ``query_compiler`` and
``physical_plan`` do so for SQL. ``source_frames`` and ``table_scan`` read; ``keyed_query`` connects stateful stages;
``watermark_service`` combines the watermarks that tasks report, and ``watermark_alignment`` makes sources wait for
others.
"""
