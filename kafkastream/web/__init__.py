"""HTTP servers of a job: the job page and the Prometheus reporter listen through ``http_server``.

``http_server`` runs uvicorn in a thread, ``connections`` limits the number and duration of its connections, and
``local_host`` refuses requests whose Host header does not name this machine.
"""
