"""The job page: jobs of this process as values, as Flink's JSON, and as a page in the browser.

``job_state`` is what the engine hands out: the facts of a job, and its state. Begin at ``job_view``, which makes numbers
per operator and partition of both; ``health`` says in a sentence how the job is, and ``graph_layout`` places the graph.
``flink_json`` and ``flink_metrics`` write a view as Flink's documents, ``page_data`` as that of the page, whose files are
in ``assets``. ``routes`` gives each a path, behind ``guard``; ``server`` listens, and shows the jobs of ``shown_jobs``.
``spark.job.engine`` starts it.
"""
