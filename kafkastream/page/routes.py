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

_MEDIA_TYPES: Final = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}
_JOB_PATH: Final = "/jobs/{job}"
_VERTEX_PATH: Final = "/jobs/{job}/vertices/{vertex}"


def application(jobs: ShownJobs, token: str | None, port: int) -> Guard:
    """Return the application that shows jobs.

    Args:
        jobs: Jobs.
        token: Token that readers must have; None if the page is for this machine.
        port: Port on which it is served.
    """
    routes = [*_asset_routes(), *_Documents(jobs).routes()]
    return Guard(Starlette(routes=routes, exception_handlers={HTTPException: _error_response}), token, port)


def _error_response(_: Request, error: Exception) -> Response:
    """Return an error in Flink's shape."""
    assert isinstance(error, HTTPException)
    return JsonResponse({"errors": [error.detail]}, status_code=error.status_code, headers=error.headers)


def _asset_routes() -> list[Route]:
    """Return the routes of the page's files, which are read once."""
    assets = [
        asset for asset in files("kafkastream.page").joinpath("assets").iterdir() if asset.name.partition(".")[2] != ""
    ]
    contents = {asset.name: asset.read_bytes() for asset in assets}
    routes = [Route(f"/page/{name}", _asset_endpoint(name, content)) for name, content in contents.items()]
    return [Route("/", _asset_endpoint("page.html", contents["page.html"])), *routes]


def _asset_endpoint(name: str, content: bytes) -> Callable[[Request], Response]:
    kind = _MEDIA_TYPES.get(name.rpartition(".")[2], "text/plain")
    return lambda _: Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})


@final
@attrs.frozen
class _Documents:
    """Documents about jobs."""

    jobs: ShownJobs

    def routes(self) -> list[Route]:
        for_all: dict[str, Callable[[list[JobView]], Json]] = {
            "/page/jobs": page_data.jobs_document,
            "/overview": lambda views: flink_json.overview(views, self._slots()),
            "/config": lambda _: flink_json.config(),
            "/jobs": flink_json.jobs,
            "/jobs/overview": flink_json.jobs_overview,
        }
        for_job: dict[str, Callable[[JobView], Json]] = {
            "/page/jobs/{job}": page_data.job_document,
            _JOB_PATH: flink_json.job,
            f"{_JOB_PATH}/status": lambda view: {"status": view.status.name},
            f"{_JOB_PATH}/plan": flink_json.plan,
            f"{_JOB_PATH}/checkpoints": flink_metrics.checkpoints,
            f"{_JOB_PATH}/exceptions": flink_json.exceptions,
        }
        return [
            *(Route(path, _for_all_jobs(self.jobs, make)) for path, make in for_all.items()),
            Route(_JOB_PATH, self._cancel, methods=["PATCH"]),
            *(Route(path, _for_job(self.jobs, make)) for path, make in for_job.items()),
            Route(f"{_JOB_PATH}/config", self._config),
            Route(f"{_JOB_PATH}/metrics", self._metrics),
            Route(_VERTEX_PATH, _for_vertex(self.jobs, flink_json.vertex)),
            Route(f"{_VERTEX_PATH}/metrics", self._vertex_metrics),
            Route(f"{_VERTEX_PATH}/watermarks", _for_vertex(self.jobs, flink_metrics.watermarks)),
        ]

    def _slots(self) -> int:
        return max((job.facts.parallelism for job in self.jobs.all()), default=0)

    def _cancel(self, request: Request) -> Response:
        mode = request.query_params.get("mode", "cancel")
        if mode != "cancel":
            raise HTTPException(400, f"The mode {mode!r} is unknown; use mode=cancel.")
        job = _find_job(self.jobs, request)
        if job.view().ended_ms is not None:
            raise HTTPException(409, f"Job {job.facts.job_id} has ended already.")
        job.cancel()
        return JsonResponse({}, status_code=202)

    def _config(self, request: Request) -> Response:
        job = _find_job(self.jobs, request)
        return JsonResponse(flink_json.job_config(job.view(), job.facts))

    def _metrics(self, request: Request) -> Response:
        metrics = flink_metrics.job_metrics(_find_job(self.jobs, request).view())
        return JsonResponse(flink_metrics.metric_list(metrics, request.query_params.get("get")))

    def _vertex_metrics(self, request: Request) -> Response:
        metrics = flink_metrics.vertex_metrics(*_find_vertex(self.jobs, request))
        return JsonResponse(flink_metrics.metric_list(metrics, request.query_params.get("get")))


def _for_all_jobs(jobs: ShownJobs, make: Callable[[list[JobView]], Json]) -> Callable[[Request], Response]:
    return lambda _: JsonResponse(make([job.view() for job in jobs.all()]))


def _for_job(jobs: ShownJobs, make: Callable[[JobView], Json]) -> Callable[[Request], Response]:
    return lambda request: JsonResponse(make(_find_job(jobs, request).view()))


def _for_vertex(jobs: ShownJobs, make: Callable[[JobView, Vertex], object]) -> Callable[[Request], Response]:
    return lambda request: JsonResponse(make(*_find_vertex(jobs, request)))


def _find_job(jobs: ShownJobs, request: Request) -> ShownJob:
    job = jobs.get(request.path_params["job"])
    if job is None:
        raise HTTPException(404, f"Job {request.path_params['job']} not found")
    return job


def _find_vertex(jobs: ShownJobs, request: Request) -> tuple[JobView, Vertex]:
    view = _find_job(jobs, request).view()
    vertex = view.vertex(request.path_params["vertex"])
    if vertex is None:
        raise HTTPException(404, f"Job vertex {request.path_params['vertex']} not found")
    return view, vertex
