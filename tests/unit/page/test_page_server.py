"""The job page over HTTP: Flink's documents, who may read them, and that nothing comes from elsewhere."""

from __future__ import annotations

import json
import math
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from importlib.resources import files
from typing import Any

import attrs
import pytest

from kafkastream.errors import DefinitionError, SetupError
from kafkastream.metrics.history import History
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.metrics.values import DistributionValue, Group, MeterValue, MetricKind
from kafkastream.model.job.page_settings import PageSettings, page_settings_of
from kafkastream.page.server import PageServer, shared_page_server
from tests.unit.page import jobs

TOKEN = "only-for-readers"
# The fields of each document of Flink 2.2.1, as it answered to a job of its own.
FIELDS = {
    "/overview": "flink-commit flink-version jobs-cancelled jobs-failed jobs-finished jobs-running slots-available "
    "slots-total taskmanagers",
    "/config": "features flink-revision flink-version refresh-interval timezone-name timezone-offset",
    "/jobs": "jobs",
    "/jobs/overview": "jobs",
    "/jobs/:job": "duration end-time isStoppable jid job-type maxParallelism name now pending-operators plan start-time "
    "state status-counts timestamps vertices",
    "/jobs/:job/status": "status",
    "/jobs/:job/plan": "plan",
    "/jobs/:job/config": "execution-config jid name",
    "/jobs/:job/checkpoints": "counts history latest summary",
    "/jobs/:job/exceptions": "exceptionHistory",
    "/jobs/:job/vertices/:vertex": "aggregated id maxParallelism name now parallelism subtasks",
}
FIELDS_WITHIN = {
    ("/jobs/overview", "jobs"): "duration end-time jid last-modification name pending-operators start-time state tasks",
    ("/jobs/:job", "vertices"): "duration end-time id maxParallelism metrics name parallelism slotSharingGroupId "
    "start-time status tasks",
    (
        "/jobs/:job/vertices/:vertex",
        "subtasks",
    ): "attempt duration end-time endpoint metrics start-time start_time status status-duration subtask taskmanager-id",
}


def started(**settings: Any) -> Iterator[PageServer]:
    server = PageServer(PageSettings(ports=(0,), **settings))
    server.jobs.add(jobs.facts(), jobs.StandIn())
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def page() -> Iterator[PageServer]:
    yield from started()


@pytest.fixture
def guarded_page() -> Iterator[PageServer]:
    yield from started(token=TOKEN)


def ask(page: PageServer, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    with closing(HTTPConnection("127.0.0.1", page.port, timeout=10)) as connection:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer, answer.read()


def read(page: PageServer, path: str) -> Any:
    answer, body = ask(page, path)
    assert answer.status == 200, body
    return json.loads(body)


def vertices(page: PageServer) -> list[str]:
    return [one["id"] for one in read(page, f"/jobs/{jobs.ID}")["vertices"]]


def path_of(page: PageServer, path: str) -> str:
    return path.replace(":job", jobs.ID).replace(":vertex", vertices(page)[0])


def test_documents_have_the_fields_of_flink(page: PageServer) -> None:
    for path, fields in FIELDS.items():
        assert sorted(read(page, path_of(page, path))) == fields.split(), path
    for (path, name), fields in FIELDS_WITHIN.items():
        assert sorted(read(page, path_of(page, path))[name][0]) == fields.split(), (path, name)


def test_numbers_are_those_of_the_job(page: PageServer) -> None:
    job = read(page, f"/jobs/{jobs.ID}")
    assert (job["state"], job["start-time"], job["end-time"], job["duration"]) == ("RUNNING", jobs.BEGAN, -1, 90_000)
    assert job["vertices"][0]["metrics"]["write-records"] == 900
    assert job["plan"]["nodes"][1]["inputs"][0]["ship_strategy"] == "HASH"
    assert job["timestamps"]["RUNNING"] == jobs.BEGAN + 2_000
    checkpoints = read(page, f"/jobs/{jobs.ID}/checkpoints")
    assert checkpoints["counts"]["completed"] == 8
    last = checkpoints["latest"]["completed"]
    assert (last["id"], last["state_size"], last["end_to_end_duration"]) == (7, 4_096, 100)
    failure = read(page, f"/jobs/{jobs.ID}/exceptions")["exceptionHistory"]["entries"][0]
    assert (failure["exceptionName"], failure["stacktrace"]) == ("UserFunctionError", "[user-function] no")


def test_metrics_are_listed_and_read_by_flinks_names(page: PageServer) -> None:
    path = f"/jobs/{jobs.ID}/vertices/{vertices(page)[0]}/metrics"
    names = {one["id"] for one in read(page, path)}
    assert {
        "0.numRecordsOut",
        "1.Source__orders.numRecordsOut",
        "0.Source__orders.KafkaSourceReader.commitsSucceeded",
    } < names
    asked = read(page, f"{path}?get=1.numRecordsOut,0.numRecordsOutPerSecond,0.unknown")
    assert asked == [{"id": "1.numRecordsOut", "value": "300"}, {"id": "0.numRecordsOutPerSecond", "value": "10.0"}]
    assert read(page, f"/jobs/{jobs.ID}/metrics?get=numRestarts,lastCompletedCheckpointId") == [
        {"id": "numRestarts", "value": "1"},
        {"id": "lastCompletedCheckpointId", "value": "7"},
    ]


def test_watermarks_are_those_of_the_inputs(page: PageServer) -> None:
    source, reduce, _ = vertices(page)
    assert read(page, f"/jobs/{jobs.ID}/vertices/{source}/watermarks") == []
    assert read(page, f"/jobs/{jobs.ID}/vertices/{reduce}/watermarks") == [
        {"id": f"{subtask}.currentInputWatermark", "value": str(jobs.NOW - 6_000)} for subtask in range(2)
    ]


def test_secrets_are_in_no_document(page: PageServer) -> None:
    paths = [*FIELDS, "/page/jobs", "/page/jobs/:job", "/jobs/:job/metrics", "/jobs/:job/vertices/:vertex/metrics"]
    for path in paths:
        assert "hidden" not in json.dumps(read(page, path_of(page, path))), path
    assert read(page, f"/jobs/{jobs.ID}/config")["execution-config"]["user-config"] == {
        "api-key": "***",
        "region": "eu",
    }


@pytest.mark.parametrize(
    "path", ["/jobs/unknown", f"/jobs/{jobs.ID}/vertices/unknown", "/nowhere", "/page/../server.py"]
)
def test_what_is_not_there_is_an_error_in_flinks_shape(page: PageServer, path: str) -> None:
    answer, body = ask(page, path)
    assert answer.status == 404
    assert list(json.loads(body)) == ["errors"]


def test_a_job_is_cancelled_once(page: PageServer) -> None:
    answer, _ = ask(page, f"/jobs/{jobs.ID}?mode=stop", "PATCH")
    assert answer.status == 400
    answer, body = ask(page, f"/jobs/{jobs.ID}?mode=cancel", "PATCH")
    assert (answer.status, body) == (202, b"{}")
    assert read(page, "/jobs") == {"jobs": [{"id": jobs.ID, "status": "CANCELED"}]}
    answer, _ = ask(page, f"/jobs/{jobs.ID}?mode=cancel", "PATCH")
    assert answer.status == 409


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "127.0.0.1:80"])
def test_this_machine_may_read(page: PageServer, host: str) -> None:
    assert ask(page, "/overview", Host=host)[0].status == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8081", "10.1.2.3", ""])
def test_a_name_that_points_here_may_not(page: PageServer, host: str) -> None:
    assert ask(page, "/overview", Host=host)[0].status == 403


def test_another_site_may_not_cancel(page: PageServer) -> None:
    host = f"localhost:{page.port}"
    answer, _ = ask(page, f"/jobs/{jobs.ID}?mode=cancel", "PATCH", Host=host, Origin="https://evil.example")
    assert answer.status == 403
    assert ask(page, f"/jobs/{jobs.ID}?mode=cancel", "PATCH", Host=host, Origin=f"http://{host}")[0].status == 202


def test_a_token_is_asked_for(guarded_page: PageServer) -> None:
    answer, body = ask(guarded_page, "/")
    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert TOKEN not in body.decode()
    assert ask(guarded_page, "/overview", Authorization="Bearer wrong")[0].status == 401
    assert ask(guarded_page, "/overview?token=wrong")[0].status == 401
    assert ask(guarded_page, "/overview", Authorization=f"Bearer {TOKEN}")[0].status == 200
    assert ask(guarded_page, "/overview", Authorization=f"Bearer {TOKEN}", Host="driver.example")[0].status == 200


def test_the_token_of_an_address_becomes_a_cookie(guarded_page: PageServer) -> None:
    answer, _ = ask(guarded_page, f"//evil.example/jobs?token={TOKEN}&get=a%26b")
    assert (answer.status, answer.headers["Location"]) == (303, "/evil.example/jobs?get=a%26b")
    cookie = answer.headers["Set-Cookie"]
    assert re.search("HttpOnly; .*SameSite=strict", cookie)
    assert ask(guarded_page, "/overview", Cookie=cookie.partition(";")[0])[0].status == 200


def test_programs_on_one_host_have_cookies_of_their_own() -> None:
    """A browser sends a cookie to each port of its host: https://www.rfc-editor.org/rfc/rfc6265#section-8.5."""
    tokens = ("first-token", "second-token")
    servers = [PageServer(PageSettings(ports=(0,), token=token)) for token in tokens]
    try:
        answers = [ask(server, f"/?token={token}")[0] for server, token in zip(servers, tokens, strict=True)]
        cookies = [answer.headers["Set-Cookie"].partition(";")[0] for answer in answers]
        assert "-token" not in "".join(cookies)
        assert "token" not in answers[0].headers["Location"]
        for server in servers:
            assert ask(server, "/overview", Cookie="; ".join(cookies))[0].status == 200
        assert ask(servers[0], "/overview", Cookie=cookies[1])[0].status == 401
        name, value = cookies[0].split("=")
        assert ask(servers[0], "/overview", Cookie=f"{name}={value[:-1]}")[0].status == 401
    finally:
        for server in servers:
            server.stop()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
    ],
)
def test_other_sites_may_only_link_to_the_page(page: PageServer, headers: dict[str, str], status: int) -> None:
    answer, _ = ask(page, "/overview", **headers)
    assert answer.status == status
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Access-Control-Allow-Origin"] is None


def test_any_number_and_text_of_a_job_is_shown(page: PageServer) -> None:
    metrics = (
        jobs.metric("largest", "nan", math.nan, kind=MetricKind.GAUGE),
        jobs.metric("largest", "huge", 10**5000),
        jobs.metric("largest", "half \ud800", "half \udfff", Group('a\n"<b>')),
        jobs.metric("largest", "sizes", DistributionValue(1, math.inf, math.nan, -math.inf)),
        jobs.metric("largest", "rate", MeterValue(10**5000, math.inf)),
    )
    failure = attrs.evolve(jobs.FAILURE, text="\ud800 </script><script>")
    broken = jobs.StandIn(metrics=MetricsSnapshot("orders", jobs.ID, metrics), history=History(failures=(failure,)))
    page.jobs.add(jobs.facts(), broken)
    for path in [*FIELDS, "/page/jobs", "/page/jobs/:job", "/jobs/:job/metrics", "/jobs/:job/vertices/:vertex/metrics"]:
        read(page, path_of(page, path))
    shown = {path: value for _, _, path, _, value in read(page, f"/page/jobs/{jobs.ID}")["metrics"]}
    assert shown == {
        "nan": "NaN",
        "huge": "about 1.00e+5000",
        'a\n"<b>.half \ufffd': "half \ufffd",
        "sizes": "Infinity (n=1, NaN … -Infinity)",
        "rate": "Infinity/s (about 1.00e+5000)",
    }
    vertex = f"/jobs/{jobs.ID}/vertices/{vertices(page)[1]}/metrics"
    assert read(page, f"{vertex}?get=0.largest.nan,0.largest.rate") == [
        {"id": "0.largest.nan", "value": "NaN"},
        {"id": "0.largest.rate", "value": "Infinity"},
    ]
    assert read(page, f"/jobs/{jobs.ID}/exceptions")["exceptionHistory"]["entries"][0]["stacktrace"][0] == "\ufffd"


def test_beyond_this_machine_there_is_a_token_in_the_printed_address() -> None:
    server = PageServer(PageSettings(ports=(0,), bind_address="0.0.0.0", address="driver.example"))
    try:
        found = re.fullmatch(rf"http://driver.example:{server.port}/\?token=(\S{{32}})", server.address)
        assert found
        assert ask(server, "/overview")[0].status == 401
        assert ask(server, "/overview", Authorization=f"Bearer {found[1]}")[0].status == 200
    finally:
        server.stop()


def test_the_page_takes_nothing_from_elsewhere(page: PageServer) -> None:
    answer, body = ask(page, "/")
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
    )
    for name in re.findall(r'(?:src|href)="([^"]+)"', body.decode()):
        assert ask(page, f"/{name}")[0].status == 200, name
    for asset in files("kafkastream.page").joinpath("assets").iterdir():
        code = re.sub(r"^/\*!.*?\*/", "", asset.read_text(encoding="utf-8"))
        assert set(re.findall(r"https?://([^/\"'`\s)]+)", code)) <= {"www.w3.org"}, (
            asset.name
        )  # names of SVG and MathML
    for wrong in ("/page/preact.js", "/page/page.css"):
        assert ask(page, wrong)[0].headers["X-Content-Type-Options"] == "nosniff"


def test_a_port_in_use_is_told_with_what_helps() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SetupError, match="no free port") as caught:
            PageServer(PageSettings(ports=(port,)))
        assert "rest.bind-port" in str(caught.value)
        server = PageServer(PageSettings(ports=(port, 0)))
        server.stop()


def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(SetupError, match=r"cannot listen at '192\.0\.2\.1'"):
        PageServer(PageSettings(ports=(0,), bind_address="192.0.2.1"))


def test_jobs_of_a_process_share_their_page() -> None:
    settings = PageSettings(ports=(0,), token="shared-token")
    server = shared_page_server(settings)
    try:
        assert shared_page_server(PageSettings(ports=(0,), token="shared-token")) is server
    finally:
        server.stop()
    again = shared_page_server(settings)
    assert again is not server
    again.stop()


def test_many_jobs_that_have_ended_are_forgotten(page: PageServer) -> None:
    for number in range(30):
        one = jobs.StandIn()
        one.cancel()
        page.jobs.add(jobs.facts_of(f"{number:032x}"), one)
    kept = [one["id"] for one in read(page, "/jobs")["jobs"]]
    assert kept[0] == jobs.ID
    assert kept[1:] == [f"{number:032x}" for number in range(10, 30)]


def test_settings_are_read_from_flinks_keys() -> None:
    configured = {
        "rest.port": "8081",
        "rest.bind-port": "9000-9002",
        "rest.bind-address": "0.0.0.0",
        "rest.address": "driver",
    }
    settings = page_settings_of(configured)
    assert settings == PageSettings(ports=(9000, 9001, 9002), bind_address="0.0.0.0", address="driver")
    assert settings.needs_token
    assert page_settings_of({"rest.bind-address": "0.0.0.0"}) is None


def test_a_short_token_is_refused_and_no_token_shown() -> None:
    with pytest.raises(DefinitionError, match="guessed easily"):
        page_settings_of({"rest.port": "0", "kafkastream.rest.token": "1234"})
    assert TOKEN not in repr(PageSettings(ports=(0,), token=TOKEN))
