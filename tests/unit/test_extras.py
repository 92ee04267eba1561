"""Packages of extras: nothing imports them until they are needed, and then an error names the extra."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Final

import pytest

from kafkastream.cli.sql import _run_shell
from kafkastream.datastream.formats.avro import AvroRowSerializationSchema, AvroSchema
from kafkastream.errors import SetupError
from kafkastream.extras import AVRO, PORT, POSTGRES, PROMETHEUS, PROMETHEUS_SERVER, SHELL, UI, UI_SERVER, Extra
from kafkastream.metrics.reporters import reporters_of
from kafkastream.model.job.page_settings import page_settings_of
from kafkastream.port.reading import read_text
from kafkastream.postgres.client import connect
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.sql.formats import AvroConfluentFormat, AvroFormat
from tests.package import MODULES, ROOT

EXTRAS: Final = (AVRO, PORT, POSTGRES, PROMETHEUS, PROMETHEUS_SERVER, SHELL, UI, UI_SERVER)
LATE: Final = {
    f"kafkastream.{name}"
    for name in (
        "cli.shell.prompt",
        "metrics.prometheus",
        "page.guard",
        "page.json_response",
        "page.routes",
        "page.server",
        "web.connections",
        "web.http_server",
    )
}
SCHEMA: Final = '{"type": "record", "name": "Order", "fields": []}'
REPORTER: Final = {
    "metrics.reporter.prom.factory.class": "org.apache.flink.metrics.prometheus.PrometheusReporterFactory"
}


@pytest.mark.parametrize(
    ("extra", "use"),
    [
        pytest.param(AVRO, lambda: AvroRowSerializationSchema(avro_schema_string=SCHEMA), id="rows"),
        pytest.param(AVRO, lambda: AvroSchema.parse_string(SCHEMA), id="files"),
        pytest.param(AVRO, AvroFormat, id="avro tables"),
        pytest.param(AVRO, lambda: AvroConfluentFormat(url="http://registry"), id="avro-confluent tables"),
        pytest.param(
            POSTGRES, lambda: connect(PostgresSettings(host="localhost", database="db")), id="PostgreSQL sink"
        ),
        pytest.param(PORT, lambda: read_text("class Job { }"), id="Java programs"),
        pytest.param(PROMETHEUS, lambda: reporters_of(REPORTER), id="reporter"),
        pytest.param(PROMETHEUS_SERVER, lambda: reporters_of(REPORTER), id="server of the reporter"),
        pytest.param(SHELL, lambda: _run_shell("", {}), id="shell"),
        pytest.param(UI, lambda: page_settings_of({"rest.port": "0"}), id="job page"),
        pytest.param(UI_SERVER, lambda: page_settings_of({"rest.port": "0"}), id="server of the job page"),
    ],
)
def test_a_missing_package_is_told_with_its_extra(
    extra: Extra, use: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, extra.module, None)
    with pytest.raises(SetupError, match=f"needs the package {extra.package}") as caught:
        use()
    assert f"pip install 'kafkastream[{extra.name}]'" in str(caught.value)


def test_nothing_imports_them_before_they_are_needed() -> None:
    program = f"""
import importlib, sys
sys.modules.update(dict.fromkeys({[extra.module for extra in EXTRAS]}))
for module in {MODULES}:
    if module not in {LATE}:
        importlib.import_module(module)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: extra.package)
def test_each_extra_installs_its_package(extra: Extra) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(rf"^{extra.name} = \[(.*?)\]$", project, re.MULTILINE)
    assert listed
    assert extra.package in re.findall(r'"([\w-]+)', listed[1])
