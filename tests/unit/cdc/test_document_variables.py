"""Documents in YAML: variables, files and secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.variables import Variables, variables_of_file
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.model.connectors.subscription import TopicList
from kafkastream.pipeline import Pipeline
from tests.unit.cdc.documents import KAFKA, SINK, SOURCE, VALUES, read, refused


def test_variables_come_from_many_places(tmp_path: Path) -> None:
    file = tmp_path / "vars.yaml"
    file.write_text("kafka:\n  topic: of-file\n  servers: k:9092\nsecret_values: {group: g}\n")
    given = {**variables_of_file(file), "kafka.topic": "given"}
    environ = {"KAFKA_TOPIC": "of-environment", "SCAN_STARTUP_MODE": "latest-offset", "plain": "p"}
    text = """
source:
  type: kafka
  properties.bootstrap.servers: ${kafka.servers}
  topic: ${kafka.topic}-in;$${literal};${plain}
  properties.group.id: ${secret_values.group}
  scan.startup.mode: ${scan.startup.mode}
sink: {type: print}
"""
    made = read(text, given, environ).source
    assert isinstance(made, KafkaPipelineSource)
    assert made.source.subscription == TopicList(("given-in", "${literal}", "p"))
    assert made.source.starting_offsets == OffsetsInitializer.latest()
    assert made.source.group_id == "g"


@pytest.mark.parametrize(
    ("reference", "what", "now"),
    [
        ("${kafka.topc}", "undefined variable 'kafka.topc'", "Did you mean 'kafka.topic'?"),
        ("${nowhere.topic_}", "undefined variable 'nowhere.topic_'", "--set nowhere.topic_=…"),
        ("${secret_values.pw}", "undefined variable 'secret_values.pw'", "variable SECRET_VALUES_PW"),
        ("${env:NOWHERE}", "no environment variable 'NOWHERE'", "NOWHERE=…"),
        ("${file:/nowhere/at/all}", "cannot be read", ""),
        ("${}", "undefined variable ''", ""),
    ],
)
def test_a_variable_without_a_value_is_told(reference: str, what: str, now: str) -> None:
    error = refused(f"{KAFKA}  topic: {reference}\n{SINK}", {"kafka.topic": "a"})
    assert what in error.what
    assert now in error.now
    assert error.where == "job.yaml, line 5, column 10"


SECRET = "hunter2"
SECRETS = {
    "value": f"{KAFKA}  topic: a\n  scan.startup.mode: ${{secret_values.pw}}\n{SINK}",
    "number": f"{KAFKA}  topic: a\n  scan.max.pre.fetch.records: ${{secret_values.pw}}\n{SINK}",
    "duration": f"{SOURCE}{SINK}pipeline: {{execution.checkpointing.interval: '1 ${{secret_values.pw}}'}}",
    "type": f"{SOURCE}sink: {{type: '${{secret_values.pw}}'}}",
    "url": f"{SOURCE}sink: {{type: postgres, url: 'mysql://${{secret_values.pw}}/d'}}",
    "table": f"{VALUES}    - insert: ${{secret_values.pw}}\n      after: {{id: 1}}\n{SINK}",
    "route": f"{SOURCE}{SINK}route: [{{source-table: 'a', sink-table: '${{secret_values.pw}}.$1'}}]",
    "password": f"{SOURCE}sink: {{type: postgres, port: 0, password: {SECRET}}}",
    "ddl": f"{KAFKA}  topic: a\n  scan.value.initial-schemas.ddls: CREATE ${{secret_values.pw}}\n{SINK}",
}


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_errors_keep_secrets(text: str) -> None:
    error = refused(text, {"secret_values.pw": SECRET})
    assert SECRET not in f"{error}{error!r}{error.__cause__!r}"


def test_values_keep_secrets(tmp_path: Path) -> None:
    (tmp_path / "pw").write_text(f"{SECRET}\n")
    document = read_document(
        f"""
source:
  type: kafka
  properties.bootstrap.servers: ${{secret_values.pw}}
  topic: a;${{secret_values.pw}}
  properties.group.id: ${{file:{tmp_path / "pw"}}}
sink:
  type: postgres
  username: ${{secret_values.pw}}
  database: ${{env:PW}}
  hostname: ${{my_password}}
  password: {SECRET}
route:
  - source-table: a
    sink-table: ${{secret_values.pw}}
""",
        "job.yaml",
        Variables({"secret_values.pw": SECRET, "my_password": SECRET}, {"PW": SECRET}),
    )
    assert SECRET not in repr(document).replace("password: ***", "")
    sink_ = document.spec.sink
    assert isinstance(sink_, PostgresSink)
    assert {sink_.username, sink_.database, sink_.hostname, sink_.password} == {SECRET}


def test_a_file_gives_its_name_to_the_pipeline(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(f"\ufeff{SOURCE}{SINK}", encoding="utf-8")
    (tmp_path / "named.yaml").write_text(f"{SOURCE}{SINK}pipeline: {{name: given}}")
    names = [Pipeline.from_file(tmp_path / name).spec.settings.name for name in ("orders.yaml", "named.yaml")]
    assert names == ["orders", "given"]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="cannot be read: No such file") as error:
        Pipeline.from_file(tmp_path / "none.yaml")
    assert error.value.where.endswith("none.yaml")
