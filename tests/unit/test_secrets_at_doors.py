"""No door through which text leaves a program shows a secret: every form of secret at every door."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from kafkastream.cdc.changes import CreateTable
from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.variables import Variables
from kafkastream.cdc.event_text import schema_change_text
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.cli import main
from kafkastream.cli.shell.prompt import _History
from kafkastream.common import SimpleStringSchema
from kafkastream.datastream.connectors.jdbc import JdbcConnectionOptions
from kafkastream.datastream.connectors.kafka import KafkaSource
from kafkastream.doctor.finding import Finding
from kafkastream.errors import DefinitionError, JobError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.common.call_errors import call_failed
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.schema_registry import SchemaRegistry
from kafkastream.model.job.configuration import Configuration
from kafkastream.secret_masking import is_secret, masked, masked_statement, masked_value, redacted
from kafkastream.spark.session.translate_errors import FunctionFailedError, translated
from kafkastream.sql.quoting import literal
from kafkastream.sql.syntax.parser import parse
from kafkastream.table import EnvironmentSettings, TableDescriptor, TableEnvironment
from kafkastream.table.table_descriptor import FormatDescriptor

FLINKS_KEYS: Final = Path(__file__).parents[1].joinpath("names/flink-sensitive-keys-2.2.txt").read_text().split()

PASSWORDS: Final = (
    "HUSH",
    "a@HUSH@b",
    "a&HUSH&b",
    "it's 'HUSH'",
    'say "HUSH"',
    "a,HUSH;b}",
    r"back\HUSH\\",
    r"\';HUSH",
    r"\";HUSH",
    "p/HUSH:1",
    "a%20HUSH=",
    "one\nHUSH\ntwo",
)
PEM: Final = "-----BEGIN PRIVATE KEY-----\nMIIHUSH+/=\nHUSH==\n-----END PRIVATE KEY-----\n"
JAAS: Final = 'org.example.PlainLoginModule required username="u" password="a; HUSH, }";'

PAIRS: Final = [
    *((f"my.{key}.of", "HUSH") for key in FLINKS_KEYS),
    *(("properties.ssl.key.password", password) for password in PASSWORDS),
    ("properties.sasl.jaas.config", JAAS),
    ("ssl.keystore.key", PEM),
    ("ssl.keystore.certificate.chain", PEM),
    ("ssl.key.pem", PEM.replace("\n", "\\n")),
    ("sasl.oauthbearer.client.credentials.client.secret", "HUSH"),
    ("fs.azure.account.key.shop.dfs.core.windows.net", "HUSH=="),
    ("s3.access-key", "HUSH"),
    ("s3.secret-key", "HUSH"),
    ("basic.auth.user.info", "me:HUSH"),
    ("schema.registry.basic.auth.user.info", "me:HUSH"),
    ("avro-confluent.basic-auth.user-info", "me:HUSH"),
    ("http-headers", "Authorization:Basic HUSH"),
    ("db.pass", "HUSH"),
    *(("url", f"jdbc:postgresql://db/shop?user=u&password={quote(password)}&ssl=on") for password in PASSWORDS),
    *(
        ("url", f"jdbc:postgresql://db/shop?password={password}")
        for password in PASSWORDS
        if not re.search(r"[\n ]|['\"];", password)
    ),
    *(("url", f"postgresql://me:{quote(password, safe='')}@db/shop") for password in PASSWORDS),
    *(("url", f"postgresql://me:{password}@db/shop") for password in PASSWORDS if not set(password) & set("\n'\"")),
    ("url", "http://me:HUSH@one:8081,http://me:HUSH@two:8081"),
    ("url", "jdbc:sqlserver://db;user=u;password=HUSH;encrypt=true"),
    ("url", "jdbc:oracle:thin:scott/HUSH@db:1521:orcl"),
    ("url", "https://store/file?sv=1&sig=HUSH%3D&se=2"),
    ("dsn", "host=db user=u password=HUSH dbname=shop"),
]
"""Properties with a secret, which has the word HUSH."""
IDS: Final = [f"{key}={value[:40]}" for key, value in PAIRS]


def refusal(call: Callable[[], object]) -> str:
    """Return the text of the error of a call, and of whatever a program would print of it."""
    try:
        return repr(call())
    except KafkastreamError as error:
        return f"{error}{error!r}{error.what}{error.where}{error.now}"


def history(statement: str, folder: Path) -> str:
    _History(str(folder / "history")).store_string(statement)
    return (folder / "history").read_text()


def java_error(text: str) -> str:
    return str(translated(RuntimeError(f"An error occurred while calling o1.load.\n: {text}"), "j", "k:9092"))


def raised_in_function(text: str) -> str:
    failed = call_failed("f", [{"value": 1}], ValueError(text))
    return str(translated(FunctionFailedError(failed), "j", "k:9092"))


def outputs(t_env: TableEnvironment, key: str, value: str) -> str:
    pair = f"{literal(key)} = {literal(value)}"
    t_env.execute_sql(f"CREATE TABLE t (a INT) WITH ('connector' = 'print', {pair})")
    t_env.execute_sql(f"CREATE VIEW v AS SELECT a, {pair} AS b FROM (VALUES (1)) AS x (a)")
    t_env.get_config().set(key, value)
    statements = ("SHOW CREATE TABLE t", "SHOW CREATE VIEW v", "SET")
    shown = [repr(list(t_env.execute_sql(statement).collect())) for statement in statements]
    shown.append(t_env.explain_sql(f"SELECT a, {pair} AS b FROM (VALUES (1)) AS x (a)"))
    t_env.execute_sql("DROP VIEW v")
    t_env.execute_sql("DROP TABLE t")
    t_env.get_config().get_configuration().remove_config(key)
    return "".join(shown)


@pytest.fixture(scope="module")
def t_env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


@pytest.mark.parametrize(("key", "value"), PAIRS, ids=IDS)
def test_no_door_shows_a_property(key: str, value: str, t_env: TableEnvironment, tmp_path: Path) -> None:
    pair = f"{literal(key)} = {literal(value)}"
    java = re.sub(r"\s", " ", value)
    doors: dict[str, Callable[[], str]] = {
        "value": lambda: masked_value(key, value),
        "redacted": lambda: redacted({"a": {"b": "c", key: value}, "d": [{key: value}]}),
        "frozen map": lambda: repr(FrozenMap({key: value})),
        "configuration": lambda: repr(configuration(key, value)),
        "source": lambda: repr(source(key, value)),
        "format": lambda: str(FormatDescriptor.for_format("json").option(key, value).build()),
        "descriptor": lambda: str(TableDescriptor.for_connector("kafka").option(key, value).build()),
        "statement": lambda: repr(parse(f"CREATE TABLE t (a INT) WITH ({pair})")),
        "syntax before": lambda: refusal(lambda: parse(f"CREATE TABLE t (a INTT) WITH ({pair})")),
        "syntax behind": lambda: refusal(lambda: parse(f"CREATE TABLE t (a INT) WITH ({pair}) oops")),
        "syntax within": lambda: refusal(lambda: parse(f"CREATE TABLE t (a INT) WITH ({pair} 'b' = 'c')")),
        "history": lambda: history(f"CREATE TABLE t (a INT) WITH ({pair});", tmp_path),
        "tables, views, settings": lambda: outputs(t_env, key, value),
        "event": lambda: schema_change_text(
            CreateTable(TableId.parse("a.b"), TableSchema((), options=FrozenMap({key: value})))
        ),
        "Python's repr": lambda: str(JobError(f"refused: { ({'group.id': 'g', key: value}) }")),
        "JSON": lambda: str(JobError(f"refused: {json.dumps({'group.id': 'g', key: value, 'b': 1})}")),
        "Java's map": lambda: java_error(f"refused: {{group.id=g, {key}={java}, acks=all}}"),
        "Scala's map": lambda: java_error(f"refused: Map(group.id -> g, {key} -> {java}, acks -> all)"),
        "properties": lambda: java_error(f"refused:\ngroup.id=g\n{key}={java}\nacks=all"),
        "YAML": lambda: str(JobError(f"refused:\ngroup.id: g\n{key}: {java}\nacks: all")),
        "doctor": lambda: repr(Finding.wrong("Kafka", f"refused:\n{key}={java}", "")),
        "function": lambda: raised_in_function(f"{key}={java}"),
        "long text": lambda: str(JobError(f"{'long ' * 9000}, {key}={java}\n{'text ' * 900}")),
    }
    if value.startswith(("jdbc:", "http", "postgresql:")) and not re.search(r"[\s'\"]", value):
        doors |= {
            "bare": lambda: str(JobError(f"{value} cannot be used")),
            "quoted": lambda: str(JobError(repr(value))),
        }
    shown = {door: text() for door, text in doors.items()}
    assert {door: text for door, text in shown.items() if "HUSH" in text} == {}
    again = {door: masked(text) for door, text in shown.items() if masked(masked(text)) != masked(text)}
    assert again == {}


def configuration(key: str, value: str) -> Configuration:
    made = Configuration()
    made.set_string(key, value)
    return made


def source(key: str, value: str) -> Any:
    builder = KafkaSource.builder().set_bootstrap_servers("k:9092").set_topics("t").set_group_id("g")
    return builder.set_value_only_deserializer(SimpleStringSchema()).set_property(key, value).build()


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_whole_value_is_masked_though_its_url_is_wrong(password: str) -> None:
    for url in (f"jdbc:postgresql://db/shop?password={password}&user=u", f"postgresql://me:{password}@db/shop"):
        for shown in (masked_value("url", url), redacted(url), redacted({"a": [{"url": url}], "b": (url,)})):
            assert "HUSH" not in shown
            assert "postgresql://" in shown


@pytest.mark.parametrize("key", FLINKS_KEYS)
def test_what_flink_hides_is_hidden(key: str) -> None:
    assert is_secret(f"a.{key}.b")
    assert is_secret(key.upper())


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgres://db/shop?user=u&password=HUSH",
        "jdbc:mysql://db/shop?user=u&password=HUSH",
        "jdbc:postgresql:db/shop?user=u&password=it's HUSH",
        "jdbc:postgresql://me:pa/HUSH@db",
        "postgresql://db/shop?password=HUSH",
        "jdbc:oracle:thin:scott/HUSH@db:1521:orcl",
    ],
)
def test_a_url_that_is_refused_is_shown_without_its_password(url: str) -> None:
    build = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(url).build
    with pytest.raises((DefinitionError, UnsupportedFeatureError)) as caught:
        build()
    assert "HUSH" not in str(caught.value)
    assert url.partition(":")[0] in str(caught.value)


def test_a_registry_shows_no_credentials() -> None:
    registry = SchemaRegistry("http://me:HUSH@r:8081/?token=HUSH", FrozenMap({"bearer.auth.token": "HUSH"}))
    assert "HUSH" not in repr(registry)
    with pytest.raises(DefinitionError) as caught:
        SchemaRegistry("ftp://me:HUSH@r?password=HUSH")
    assert "HUSH" not in str(caught.value)


DOCUMENT: Final = """
source: {type: kafka, properties.bootstrap.servers: "127.0.0.1:1", topic: a, properties.group.id: g}
sink: {type: postgres, url: "URL", oops: 1}
"""


@pytest.mark.parametrize("password", ["HUSH1", "a'HUSH1", 'a"HUSH1', "a\\HUSH1", "a\nHUSH1", "a b@HUSH1"])
@pytest.mark.parametrize("document", [DOCUMENT, "source: {type: ${secret_values.pw}}\nsink: {type: print}"])
def test_values_of_variables_are_in_no_error(password: str, document: str) -> None:
    text = document.replace("URL", "postgresql://me:${secret_values.pw}@db/shop?password=${env:PW}")
    variables = Variables({"secret_values.pw": password}, {"PW": password})
    assert "HUSH1" not in refusal(lambda: read_document(text, "job.yaml", variables))


def test_a_checked_document_shows_no_secret(tmp_path: Path) -> None:
    text = DOCUMENT.replace(", oops: 1", "").replace("URL", "postgresql://me:HUSH@db/shop?sslmode=disable")
    (tmp_path / "job.yaml").write_text(text.replace("topic: a", "topic: a, properties.ssl.key.password: HUSH"))
    result = CliRunner().invoke(main, ["pipeline", "-f", str(tmp_path / "job.yaml"), "--check"])
    assert "HUSH" not in result.output
    assert "***" in result.output


@pytest.mark.parametrize(
    "text",
    [
        "invalid credentials: user ann is unknown",
        "org.apache.kafka.common.errors.DelegationTokenExpiredException: Delegation Token expired",
        "unexpected token: ')'",
        "Expected one of 'username', 'password', 'token', 'topic'",
        "Unsupported value 'x' for 'ssl.keystore.type': JKS",
        "Write 'properties.sasl.jaas.config' = '${env:NAME}', a variable.",
        "Give it by --set kafka.password=…, in a file of variables, or as the environment variable KAFKA_PASSWORD.",
        "http://host:8081/a@b, kafka://[::1]:9092 and SASL_SSL://one:9092,two:9092 do not answer",
        "column `token` INT, `secret` STRING: NULL is not allowed",
        "group.id=g, acks=all, url=http://host/path?user=u",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{group.id=g, ssl.key.password=HUSH, acks=all}", "{group.id=g, ssl.key.password=***, acks=all}"),
        ("{'a.password': 'HUSH', 'b': 1}", "{'a.password': ***, 'b': 1}"),
        ('{"a.password": "x\\" HUSH", "b": 1}', '{"a.password": ***, "b": 1}'),
        ("jdbc:postgresql://db/a?user=u&password=HUSH is none", "jdbc:postgresql://db/a?user=u&password=*** is none"),
        ("Authorization: Bearer HUSH, Accept: x", "Authorization: Bearer ***, Accept: x"),
        ("authorization: TOKEN HUSH, Accept: x", "authorization: TOKEN ***, Accept: x"),
        ("'Proxy-Authorization': 'Negotiate HUSH'", "'Proxy-Authorization': 'Negotiate ***'"),
        (f"{{ssl.keystore.key={PEM}, b=c}}", "{ssl.keystore.key=***, b=c}"),
        (f"key:\n{PEM}the end", "key:\n-----BEGIN ***-----END PRIVATE KEY-----\nthe end"),
        (f"{{sasl.jaas.config={JAAS}, b=c}}", "{sasl.jaas.config=***, b=c}"),
    ],
)
def test_the_text_around_a_secret_stays(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_values_within_values_of_statements_are_masked() -> None:
    url = "WITH ('url' = 'jdbc:postgresql://db/a?user=u&password=it''s HUSH&ssl=on', 'b' = 'c')"
    expected = "WITH ('url' = 'jdbc:postgresql://db/a?user=u&password=***&ssl=on', 'b' = 'c')"
    assert masked_statement(url) == expected
