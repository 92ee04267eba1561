"""Routes of the job page: its files, its documents, and Flink's REST interface."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Final, final

import attrs
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kafkastream.page import flink_json, flink_metrics, page_data
from kafkastream.page.flink_json import Json
from kafkastream.page.guard import Guard
from kafkastream.page.job_view import JobView, Vertex
from kafkastream.page.json_response import JsonResponse
from kafkastream.page.shown_jobs import ShownJob, ShownJobs

__all__ = ["application"]

_TYPES: Final = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}
_OF_JOB: Final = "/jobs/{job}"
_OF_VERTEX: Final = "/jobs/{job}/vertices/{vertex}"


def application(jobs: ShownJobs, token: str | None, port: int) -> Guard:
    """Return the application that shows jobs.

    Args:
        jobs: Jobs.
        token: Token that readers must have; None if the page is for this machine.
        port: Port on which it is served.
    """
    routes = [*_files(), *_Documents(jobs).routes()]
    return Guard(Starlette(routes=routes, exception_handlers={HTTPException: _error_response}), token, port)


def _error_response(_: Request, error: Exception) -> Response:
    """Return an error in Flink's shape."""
    assert isinstance(error, HTTPException)
    return JsonResponse({"errors": [error.detail]}, status_code=error.status_code, headers=error.headers)


def _files() -> list[Route]:
    """Return the routes of the page's files, which are read once."""
    found = [one for one in files("kafkastream.page").joinpath("assets").iterdir() if one.name.partition(".")[2] != ""]
    contents = {one.name: one.read_bytes() for one in found}
    routes = [Route(f"/page/{name}", _file(name, content)) for name, content in contents.items()]
    return [Route("/", _file("page.html", contents["page.html"])), *routes]


def _file(name: str, content: bytes) -> Callable[[Request], Response]:
    kind = _TYPES.get(name.rpartition(".")[2], "text/plain")
    return lambda _: Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})


@final
@attrs.frozen
class _Documents:
    """Documents about jobs."""

    jobs: ShownJobs

    def routes(self) -> list[Route]:
        of_all: dict[str, Callable[[list[JobView]], Json]] = {
            "/page/jobs": page_data.jobs_document,
            "/overview": lambda views: flink_json.overview(views, self._slots()),
            "/config": lambda _: flink_json.config(),
            "/jobs": flink_json.jobs,
            "/jobs/overview": flink_json.jobs_overview,
        }
        of_job: dict[str, Callable[[JobView], Json]] = {
            "/page/jobs/{job}": page_data.job_document,
            _OF_JOB: flink_json.job,
            f"{_OF_JOB}/status": lambda view: {"status": view.status.name},
            f"{_OF_JOB}/plan": flink_json.plan,
            f"{_OF_JOB}/checkpoints": flink_metrics.checkpoints,
            f"{_OF_JOB}/exceptions": flink_json.exceptions,
        }
        return [
            *(Route(path, _all(self.jobs, make)) for path, make in of_all.items()),
            Route(_OF_JOB, self._cancel, methods=["PATCH"]),
            *(Route(path, _one(self.jobs, make)) for path, make in of_job.items()),
            Route(f"{_OF_JOB}/config", self._config),
            Route(f"{_OF_JOB}/metrics", self._metrics),
            Route(_OF_VERTEX, _vertex(self.jobs, flink_json.vertex)),
            Route(f"{_OF_VERTEX}/metrics", self._vertex_metrics),
            Route(f"{_OF_VERTEX}/watermarks", _vertex(self.jobs, flink_metrics.watermarks)),
        ]

    def _slots(self) -> int:
        return max((one.facts.parallelism for one in self.jobs.all()), default=0)

    def _cancel(self, request: Request) -> Response:
        mode = request.query_params.get("mode", "cancel")
        if mode != "cancel":
            raise HTTPException(400, f"The mode {mode!r} is unknown; use mode=cancel.")
        job = _found(self.jobs, request)
        if job.view().ended_ms is not None:
            raise HTTPException(409, f"Job {job.facts.job_id} has ended already.")
        job.cancel()
        return JsonResponse({}, status_code=202)

    def _config(self, request: Request) -> Response:
        job = _found(self.jobs, request)
        return JsonResponse(flink_json.job_config(job.view(), job.facts))

    def _metrics(self, request: Request) -> Response:
        metrics = flink_metrics.job_metrics(_found(self.jobs, request).view())
        return JsonResponse(flink_metrics.metric_list(metrics, request.query_params.get("get")))

    def _vertex_metrics(self, request: Request) -> Response:
        metrics = flink_metrics.vertex_metrics(*_found_vertex(self.jobs, request))
        return JsonResponse(flink_metrics.metric_list(metrics, request.query_params.get("get")))


def _all(jobs: ShownJobs, make: Callable[[list[JobView]], Json]) -> Callable[[Request], Response]:
    return lambda _: JsonResponse(make([one.view() for one in jobs.all()]))


def _one(jobs: ShownJobs, make: Callable[[JobView], Json]) -> Callable[[Request], Response]:
    return lambda request: JsonResponse(make(_found(jobs, request).view()))


def _vertex(jobs: ShownJobs, make: Callable[[JobView, Vertex], object]) -> Callable[[Request], Response]:
    return lambda request: JsonResponse(make(*_found_vertex(jobs, request)))


def _found(jobs: ShownJobs, request: Request) -> ShownJob:
    job = jobs.get(request.path_params["job"])
    if job is None:
        raise HTTPException(404, f"Job {request.path_params['job']} not found")
    return job


def _found_vertex(jobs: ShownJobs, request: Request) -> tuple[JobView, Vertex]:
    view = _found(jobs, request).view()
    vertex = view.vertex(request.path_params["vertex"])
    if vertex is None:
        raise HTTPException(404, f"Job vertex {request.path_params['vertex']} not found")
    return view, vertex
