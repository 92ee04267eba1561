"""Jobs on secured listeners of a real broker: what works, and what is said when it does not."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._acl import AclBinding, AclOperation, AclPermissionType
from confluent_kafka.admin._resource import ResourcePatternType, ResourceType
from py4j.protocol import Py4JJavaError

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    KafkaTopicPartition,
)
from kafkastream.errors import (
    AuthenticationError,
    BrokerUnreachableError,
    DefinitionError,
    KafkaError,
    KafkastreamError,
    UnsupportedFeatureError,
)
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.groups import Group
from kafkastream.kafka.properties import TRANSLATED
from kafkastream.kafka.topics import ClusterTopics
from kafkastream.kafka.untranslated import LOOK_UPS, SINK, untranslated
from kafkastream.model.connectors.topic_sample import Message
from kafkastream.spark.plan.passthrough import pass_through
from kafkastream.spark.plan.source_frames import KafkaInput, KeyedSource, source_frames, source_inputs
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.session.translate_errors import translated
from kafkastream.testing import EmbeddedKafka, Security

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Properties = Mapping[str, str]
WRONG = "not the password"


def read(env: StreamExecutionEnvironment, properties: Properties, topic: str) -> Any:
    builder = KafkaSource.builder().set_properties(properties).set_topics(topic).set_group_id("readers")
    bounded = builder.set_bounded(KafkaOffsetsInitializer.latest())
    source = bounded.set_value_only_deserializer(SimpleStringSchema()).build()
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "records")


def sink(properties: Properties, topic: str) -> KafkaSink[Any]:
    records = KafkaRecordSerializationSchema.builder().set_topic(topic)
    serializer = records.set_value_serialization_schema(SimpleStringSchema()).build()
    builder = KafkaSink.builder().set_kafka_producer_config(properties).set_record_serializer(serializer)
    return builder.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).build()


def failure(kind: type[KafkastreamError], env: StreamExecutionEnvironment) -> KafkastreamError:
    with pytest.raises(KafkastreamError) as raised:
        env.execute("secured job")
    assert type(raised.value) is kind, raised.value
    assert "java." not in str(raised.value)
    for secret in (WRONG, "secret of ann", "changeit"):
        assert secret not in str(raised.value)
    return raised.value


@pytest.fixture
def topics(secured_kafka: EmbeddedKafka) -> tuple[str, str]:
    names = f"in-{uuid.uuid4().hex[:8]}", f"out-{uuid.uuid4().hex[:8]}"
    for name in names:
        secured_kafka.create_topic(name)
    return names


def plain(kafka: EmbeddedKafka, _: Path) -> Properties:
    return kafka.listener("SASL_PLAINTEXT", "PLAIN").client_properties


def scram(kafka: EmbeddedKafka, _: Path) -> Properties:
    return kafka.listener("SASL_PLAINTEXT", "SCRAM-SHA-256").client_properties


def scram_with_jks(kafka: EmbeddedKafka, _: Path) -> Properties:
    listener = kafka.listener("SASL_SSL", "SCRAM-SHA-512")
    jks = {**listener.client_properties, **kafka.certificates.truststore("JKS")}
    del jks["ssl.truststore.type"]  # which is JKS then
    return jks


def certificate_in_jks(kafka: EmbeddedKafka, _: Path) -> Properties:
    certificates, listener = kafka.certificates, kafka.listener("SSL")
    return {**listener.client_properties, **certificates.truststore("JKS"), **certificates.keystore("JKS")}


def certificate_in_pkcs12(kafka: EmbeddedKafka, _: Path) -> Properties:
    certificates, listener = kafka.certificates, kafka.listener("SSL")
    return {**listener.client_properties, **certificates.truststore("PKCS12"), **certificates.keystore("PKCS12")}


def certificate_in_pem(kafka: EmbeddedKafka, _: Path) -> Properties:
    return with_pem_stores(certificate_in_jks(kafka, _))


def certificate_in_pem_files(kafka: EmbeddedKafka, folder: Path) -> Properties:
    pem = with_pem_stores(certificate_in_jks(kafka, folder))
    key, trust = folder / "key.pem", folder / "trust.pem"
    key.write_text(pem.pop("ssl.keystore.key") + pem.pop("ssl.keystore.certificate.chain"))
    trust.write_text(pem.pop("ssl.truststore.certificates"))
    return {**pem, "ssl.keystore.location": str(key), "ssl.truststore.location": str(trust)}


WAYS: list[Callable[[EmbeddedKafka, Path], Properties]] = [
    plain,
    scram,
    scram_with_jks,
    certificate_in_jks,
    certificate_in_pkcs12,
    certificate_in_pem,
    certificate_in_pem_files,
]


@pytest.mark.parametrize("way", [scram_with_jks, certificate_in_pkcs12], ids=lambda way: way.__name__)
def test_offsets_are_looked_up_and_committed(
    spark: SparkSession,
    secured_kafka: EmbeddedKafka,
    topics: tuple[str, str],
    tmp_path: Path,
    way: Callable[[EmbeddedKafka, Path], Properties],
) -> None:
    properties = {**way(secured_kafka, tmp_path), "group.id": topics[0]}
    cluster, partition = Cluster(with_pem_stores(properties)), KafkaTopicPartition(topics[0], 0)
    secured_kafka.produce(topics[0], ["a", "b"])
    Group(with_pem_stores(properties)).commit({partition: 1})
    env = StreamExecutionEnvironment.get_execution_environment().enable_checkpointing(1000)
    builder = KafkaSource.builder().set_properties(properties).set_topics(topics[0])
    builder.set_starting_offsets(KafkaOffsetsInitializer.committed_offsets()).set_bounded(
        KafkaOffsetsInitializer.latest()
    )
    source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "records")
    assert list(stream.execute_and_collect()) == ["b"]
    assert cluster.committed_offsets([partition]) == {partition: 2}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_job_reads_and_writes(
    spark: SparkSession,
    secured_kafka: EmbeddedKafka,
    topics: tuple[str, str],
    tmp_path: Path,
    way: Callable[[EmbeddedKafka, Path], Properties],
) -> None:
    properties = way(secured_kafka, tmp_path)
    secured_kafka.produce(topics[0], ["a", "b"])
    env = StreamExecutionEnvironment.get_execution_environment()
    read(env, properties, topics[0]).map(str.upper, Types.STRING()).sink_to(sink(properties, topics[1]))
    env.execute("secured job")
    assert [record.value for record in secured_kafka.consume(topics[1])] == [b"A", b"B"]


def test_job_without_python_reads_and_writes(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str]
) -> None:
    copy = f"{topics[1]}-as-it-is"
    secured_kafka.create_topic(copy, config={"message.timestamp.type": "LogAppendTime"})
    secured_kafka.produce(topics[0], ["a"])
    properties = scram_with_jks(secured_kafka, Path())
    env = StreamExecutionEnvironment.get_execution_environment()
    read(env, properties, topics[0]).sink_to(sink(properties, copy))
    assert pass_through(env._graph()) is not None
    env.execute("secured copy")
    assert [record.value for record in secured_kafka.consume(copy)] == [b"a"]


def with_wrong_password(properties: Properties) -> Properties:
    login = properties["sasl.jaas.config"].replace("secret of ann", WRONG)
    return {**properties, "sasl.jaas.config": login}


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
@pytest.mark.parametrize("place", ["source", "sink"])
def test_wrong_password_is_told_at_once(
    spark: SparkSession,
    secured_kafka: EmbeddedKafka,
    topics: tuple[str, str],
    capfd: pytest.CaptureFixture[str],
    place: str,
    mechanism: Any,
) -> None:
    wrong = with_wrong_password(secured_kafka.listener("SASL_SSL", mechanism).client_properties)
    env = StreamExecutionEnvironment.get_execution_environment()
    if place == "source":
        read(env, wrong, topics[0]).map(str.upper).print()
    else:
        env.from_collection(["a"], Types.STRING()).sink_to(sink(wrong, topics[1])).name("results")
    began = time.monotonic()
    error = failure(AuthenticationError, env)
    assert time.monotonic() - began < 15
    assert "Authentication failed" in error.what
    assert wrong["bootstrap.servers"] in error.where
    assert ("sink 'results'" in error.where) == (place == "sink")
    assert "sasl.jaas.config" in error.now
    said = capfd.readouterr()
    assert WRONG not in said.out + said.err
    assert "java." not in said.err


@pytest.mark.parametrize("lacking", ["ssl.truststore.location", "ssl.keystore.location"])
def test_certificate_that_nobody_trusts_is_told_at_once(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str], lacking: str
) -> None:
    properties = dict(secured_kafka.listener("SSL").client_properties)
    del properties[lacking]
    env = StreamExecutionEnvironment.get_execution_environment()
    read(env, properties, topics[0]).map(str.upper).print()
    error = failure(AuthenticationError, env)
    assert "certificate" in error.what
    assert "ssl.keystore" in error.now


def test_listener_of_another_protocol_is_told(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str]
) -> None:
    address = secured_kafka.listener("SASL_SSL").bootstrap_servers
    env = StreamExecutionEnvironment.get_execution_environment()
    read(env, {"bootstrap.servers": address, "default.api.timeout.ms": "1500"}, topics[0]).map(str.upper).print()
    assert "security.protocol" in failure(BrokerUnreachableError, env).now


@pytest.mark.parametrize("place", ["source", "sink"])
@pytest.mark.parametrize(
    ("changed", "kind", "what"),
    [
        ({"sasl.mechanism": "AWS_MSK_IAM"}, UnsupportedFeatureError, "sasl.mechanism = AWS_MSK_IAM cannot be used"),
        ({"sasl.jaas.config": WRONG}, DefinitionError, "sasl.jaas.config cannot be read: the flag"),
        ({"security.protocol": "TLS"}, DefinitionError, "security.protocol = TLS is not one of PLAINTEXT, SSL"),
        ({"ssl.truststore.location": "/no/such.pem"}, DefinitionError, "ssl.truststore.location = /no/such.pem"),
    ],
    ids=["mechanism", "JAAS", "protocol", "no file"],
)
def test_what_cannot_be_is_told_before_the_job_starts(
    spark: SparkSession,
    secured_kafka: EmbeddedKafka,
    topics: tuple[str, str],
    changed: Properties,
    kind: type[KafkastreamError],
    what: str,
    place: str,
) -> None:
    properties = {**secured_kafka.listener("SASL_SSL", "PLAIN").client_properties, **changed}
    env = StreamExecutionEnvironment.get_execution_environment()
    if place == "source":
        read(env, properties, topics[0]).map(str.upper).print()
    else:
        env.from_collection(["a"], Types.STRING()).sink_to(sink(properties, topics[1]))
    with pytest.raises(kind) as raised:
        env.execute_async("secured job")
    assert what in raised.value.what
    assert WRONG not in str(raised.value)


Change = Callable[[Path], Properties]


@pytest.mark.parametrize(
    ("change", "what", "now"),
    [
        (lambda _: {"ssl.truststore.location": "/no/such.jks"}, "truststore.location = /no/such.jks", "every worker"),
        (lambda _: {"ssl.truststore.password": WRONG}, "truststore.jks cannot be read", "ssl.truststore.password"),
        (lambda _: {"ssl.keystore.password": WRONG}, "client.jks cannot be read", "ssl.keystore.password"),
        (lambda _: {"ssl.key.password": WRONG}, "client.jks cannot be read", "ssl.key.password"),
        (lambda _: {"ssl.keystore.type": "SEVEN"}, "SEVEN not found", "ssl.keystore.type"),
        (
            lambda folder: {"ssl.keystore.location": str(folder / "truststore.jks")},
            "truststore.jks cannot be read: it holds no private key",
            "Is it the trust store?",
        ),
        (
            lambda folder: {"ssl.truststore.location": str(folder / "truststore.pem")},
            "truststore.pem cannot be read",
            "ssl.truststore.type, which is JKS",
        ),
    ],
    ids=["no file", "trust password", "store password", "key password", "type", "no key", "no store"],
)
def test_store_that_cannot_be_read_is_named(
    spark: SparkSession, secured_kafka: EmbeddedKafka, change: Change, what: str, now: str
) -> None:
    certificates = secured_kafka.certificates
    stores = {**certificates.truststore("JKS"), **certificates.keystore("JKS"), "security.protocol": "SSL"}
    with pytest.raises(DefinitionError) as raised:
        with_pem_stores({**stores, **change(certificates.directory)})
    assert what in raised.value.what
    assert now in raised.value.now
    assert WRONG not in str(raised.value)
    assert "changeit" not in str(raised.value)


def test_store_with_several_keys_is_refused(spark: SparkSession, secured_kafka: EmbeddedKafka) -> None:
    certificates = secured_kafka.certificates
    several = {"ssl.keystore.location": str(certificates.directory / "every.p12")}
    with pytest.raises(UnsupportedFeatureError, match=r"every\.p12 holds 3 keys"):
        with_pem_stores({"security.protocol": "SSL", **certificates.keystore("PKCS12"), **several})


def test_stores_of_a_protocol_without_tls_are_left_alone() -> None:
    unused = {"security.protocol": "SASL_PLAINTEXT", "ssl.truststore.location": "/no/such.jks"}
    assert with_pem_stores(unused) == unused


def test_plans_hide_secrets(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str], tmp_path: Path, capsys: Any
) -> None:
    pem = certificate_in_pem(secured_kafka, tmp_path)
    login = secured_kafka.listener("SASL_SSL", "PLAIN").client_properties["sasl.jaas.config"]
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = read(env, {**pem, "sasl.jaas.config": login}, topics[0])
    stream.print()
    node = env._graph().sources[0]
    assert isinstance(node.source, KafkaSource)
    (found,) = source_inputs(spark, [KeyedSource(node, node.source, "records")], {}, is_named=False)
    assert isinstance(found, KafkaInput)
    key = pem["ssl.keystore.key"].splitlines()[1]
    assert key in found.options["kafka.ssl.keystore.key"]
    assert found.options["kafka.sasl.jaas.config"] == login
    for mode in ("extended", "formatted", "cost"):
        source_frames(spark, [found], None)[found.node.id].explain(mode=mode)
    spark.range(1).selectExpr("concat('jdbc:x://u:ann@db/s?password=', 'jdbc:x://db?password=ann', id)").explain(
        "extended"
    )
    for shown in (capsys.readouterr().out, repr(found), repr(node), env.get_execution_plan()):
        assert re.search(r"\bann\b", shown) is None
        assert key not in shown


@pytest.mark.parametrize("key", ["spark.hadoop.fs.azure.account.key.a", "spark.x.http-headers", "spark.x.basic-auth"])
def test_sparks_pages_hide_what_flink_hides(spark: SparkSession, key: str) -> None:
    utilities: Any = spark._jvm
    redact = getattr(getattr(utilities.org.apache.spark.util, "Utils$"), "MODULE$").redact
    conf = spark._jsc.sc().conf()
    pairs = utilities.java.util.ArrayList()
    pairs.add(utilities.scala.Tuple2(key, "hunter2"))
    shown = redact(conf, utilities.scala.jdk.javaapi.CollectionConverters.asScala(pairs).toSeq())
    assert "hunter2" not in shown.toString()


def test_credentials_may_change_from_job_to_job(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str], tmp_path: Path
) -> None:
    secured_kafka.produce(topics[0], ["a"])
    for way in (plain, certificate_in_pem):
        env = StreamExecutionEnvironment.get_execution_environment()
        assert list(read(env, way(secured_kafka, tmp_path), topics[0]).execute_and_collect()) == ["a"]


def said_by_spark(spark: SparkSession, properties: Properties, topic: str) -> KafkastreamError:
    """What the error of Spark's own consumers means, as when a credential is good only on the driver."""
    options = {f"kafka.{key}": value for key, value in properties.items()}
    with pytest.raises(Py4JJavaError) as raised:
        spark.read.format("kafka").options(**options).option("subscribe", topic).load().collect()
    return translated(raised.value, "secured job", properties["bootstrap.servers"])


def test_refusal_of_sparks_consumers_is_told(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str]
) -> None:
    wrong = with_wrong_password(secured_kafka.listener("SASL_PLAINTEXT", "PLAIN").client_properties)
    error = said_by_spark(spark, wrong, topics[0])
    assert type(error) is AuthenticationError
    assert "Invalid username or password" in error.what
    assert WRONG not in str(error)


@pytest.mark.parametrize("kind", ["JKS", "PEM"])
def test_store_that_sparks_consumers_lack_is_told(
    spark: SparkSession, secured_kafka: EmbeddedKafka, topics: tuple[str, str], kind: Any
) -> None:
    trust = {**secured_kafka.certificates.truststore(kind), "ssl.truststore.location": "/no/such.store"}
    error = said_by_spark(spark, {**secured_kafka.listener("SASL_SSL").client_properties, **trust}, topics[0])
    assert type(error) is DefinitionError
    assert error.what == "Spark cannot read the store /no/such.store"


def test_every_property_of_javas_clients_has_its_place(spark: SparkSession) -> None:
    clients = spark.sparkContext._jvm.org.apache.kafka.clients  # type: ignore[union-attr]  # it is there
    names = {*clients.consumer.ConsumerConfig.configNames(), *clients.producer.ProducerConfig.configNames()}
    assert len(names) > 100
    everywhere = {
        "interceptor.classes",
        "metric.reporters",
        "sasl.oauthbearer.header.urlencode",
        "security.providers",
        "ssl.cipher.suites",
        "ssl.enabled.protocols",
        "ssl.engine.factory.class",
        "ssl.keymanager.algorithm",
        "ssl.protocol",
        "ssl.provider",
        "ssl.secure.random.implementation",
        "ssl.trustmanager.algorithm",
    }
    given = dict.fromkeys(names, "any")
    assert set(untranslated(given, LOOK_UPS, TRANSLATED)) == everywhere
    assert set(untranslated(given, SINK, TRANSLATED)) == {*everywhere, "key.serializer", "value.serializer"}


def test_right_to_one_topic_is_enough() -> None:
    """To write for a sink, to read for a catalog, whose sample has no group."""
    properties = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with EmbeddedKafka(properties=properties, security=Security(protocols=["SASL_PLAINTEXT"])) as kafka:
        kafka.create_topic("copies", config={"message.timestamp.type": "LogAppendTime"})
        kafka.create_topic("orders")
        kafka.produce("orders", ["{}"])
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        rights = [right("copies", AclOperation.WRITE), right("orders", AclOperation.READ)]
        for made in admin.create_acls(rights).values():
            made.result()
        assert Cluster(kafka.client_properties).log_append_time("copies")
        assert not Cluster(plain(kafka, Path())).log_append_time("copies")
        topics = ClusterTopics(plain(kafka, Path()))
        assert topics.sample("orders", 1).messages == (Message(None, b"{}"),)
        kafka.produce("copies", ["{}"])
        with pytest.raises(KafkaError, match="Topic authorization failed"):
            topics.sample("copies", 1)


def right(topic: str, to: AclOperation) -> AclBinding:
    literal, allow = ResourcePatternType.LITERAL, AclPermissionType.ALLOW
    return AclBinding(ResourceType.TOPIC, topic, literal, "User:ann", "*", to, allow)
