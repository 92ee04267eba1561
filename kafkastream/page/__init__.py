"""The job page: jobs of this process as values, as Flink's JSON, and as a page in the browser.

The engine provides the values of ``job_state``: the facts of a job, and its state. Start reading at ``job_view``, which
turns them into numbers per operator and partition; ``health`` describes a job's health in a sentence, and
``graph_layout`` lays out the graph. ``flink_json`` and ``flink_metrics`` write a view as documents of Flink's REST
interface, ``page_data`` as the document of the page, whose files are in ``assets``. ``routes`` maps paths to documents,
behind the access checks of ``guard``; ``server`` listens, and shows the jobs of ``shown_jobs``. ``spark.job.engine``
starts it.
"""
