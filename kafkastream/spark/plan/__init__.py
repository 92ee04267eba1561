"""Makes queries of Spark of what the user meant, on the driver.

Begin with ``chain_compiler``: a part of the job graph becomes chains for its tasks; ``query_compiler`` and
``physical_plan`` do so for SQL. ``source_frames`` and ``table_scan`` read; ``keyed_query`` puts stages in a row;
``watermark_service`` combines what tasks have seen of event time, and ``watermark_alignment`` has sources wait for it.
"""
