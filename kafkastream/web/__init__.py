"""HTTP servers of a job: the job page and the Prometheus reporter listen through ``http_server``.

``http_server`` runs uvicorn in a thread, ``connections`` bounds what its clients may hold open and for how long, and
``local_host`` answers only requests that name this machine.
"""
