"""A Confluent schema registry, asked for schemas over its REST interface."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final, final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap, redacted

__all__ = ["RegisteredSchema", "SchemaRegistry"]

_WHERE: Final = "schema registry"
_TIMEOUT_S: Final = 30
_LONGEST_REASON: Final = 500
_PREFIX: Final = "schema.registry."
_SOURCES: Final = ("URL", "USER_INFO", "SASL_INHERIT")


class _NotFoundError(OSError):
    """The registry does not have the requested object."""


@final
@attrs.frozen
class RegisteredSchema:
    """A schema as the registry holds it, with the schemas that it refers to, those first that others need."""

    text: str
    references: tuple[str, ...] = ()


@final
@attrs.frozen
class SchemaRegistry:
    """Address of a schema registry, and its credentials.

    Args:
        url: One address, or several with commas between them: the next is asked when one does not answer.
        configs: Confluent's client settings: ``basic.auth.credentials.source``, ``basic.auth.user.info``,
            ``bearer.auth.token``, and ``ssl.truststore.location``, ``ssl.keystore.location``, ``ssl.key.password`` with
            PEM files; each also with ``schema.registry.`` before it. With ``auto.register.schemas`` set to false,
            ``register`` only looks up existing schemas.

    Raises:
        DefinitionError: There is no address, or settings contradict each other.
        UnsupportedFeatureError: A key store has another type than PEM.
    """

    url: str = attrs.field(repr=redacted)
    configs: FrozenMap[str, str] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, str], repr=redacted)

    def __attrs_post_init__(self) -> None:
        if not all(urlsplit(url).scheme in {"http", "https"} for url in self._urls):
            raise DefinitionError(
                f"{redacted(self.url)} is not the URL of a schema registry", where=_WHERE, now="Give http://host:8081."
            )
        for store in ("truststore", "keystore"):
            kind = self._setting(f"ssl.{store}.type") or "PEM"
            if self._setting(f"ssl.{store}.location") and kind != "PEM":
                raise UnsupportedFeatureError(
                    f"ssl.{store}.type is {kind}", where=_WHERE, now=f"Use a PEM file, and ssl.{store}.type=PEM."
                )
        source = self._setting("basic.auth.credentials.source") or "URL"
        if source not in _SOURCES:
            raise DefinitionError(
                f"basic.auth.credentials.source is {source!r}, not one of {', '.join(_SOURCES)}", where=_WHERE
            )
        if source == "SASL_INHERIT":
            raise UnsupportedFeatureError(
                "basic.auth.credentials.source is SASL_INHERIT", where=_WHERE, now="USER_INFO and URL work."
            )

    def schema(self, schema_id: int) -> RegisteredSchema:
        """Return the Avro schema of an id; asked for once, then remembered.

        Raises:
            OSError: No address answered.
            ValueError: The schema is not in the registry, or it is not an Avro schema.
        """
        return _schema(self, schema_id)

    def register(self, subject: str, schema: str, schema_type: str = "AVRO") -> int:
        """Return the id of a schema, which the registry gives it below a subject if it has none; then it is remembered.

        Raises:
            OSError: No address answered, or the registry refuses the schema.
        """
        return _registered(self, subject, schema, schema_type)

    @property
    def only_looks_up(self) -> bool:
        """True if ``register`` leaves the registry unchanged: with Confluent's ``auto.register.schemas=false``."""
        return (self._setting("auto.register.schemas") or "").lower() == "false"

    def ask(self, path: str, question: Mapping[str, Any] | None = None) -> Any:
        """Return the registry's answer: to GET, or to POST if there is a request body.

        Raises:
            OSError: No address answered, or the answer was no.
        """
        problems = []
        for url in self._urls:
            try:
                return self._ask(url, path, question)
            except urllib.error.HTTPError as error:
                with error:  # it is the answer, too
                    kind = _NotFoundError if error.code == HTTPStatus.NOT_FOUND else OSError
                    raise kind(
                        f"the schema registry answered {path} with HTTP {error.code} {error.reason}{_why(error)}"
                    ) from None
            except (OSError, ValueError) as error:
                problems.append(f"{redacted(_without_user(url))}: {getattr(error, 'reason', error)}")
        raise OSError(f"no schema registry answered: {'; '.join(problems)}")

    @property
    def _urls(self) -> list[str]:
        return [url.strip().rstrip("/") for url in self.url.split(",")]

    def _setting(self, key: str) -> str | None:
        return self.configs.get(_PREFIX + key, self.configs.get(key))

    def _ask(self, url: str, path: str, question: Mapping[str, Any] | None) -> Any:
        data = None if question is None else json.dumps(question).encode()
        request = urllib.request.Request(_without_user(url) + path, data)  # noqa: S310 - http and https only, see above
        request.add_header("Accept", "application/vnd.schemaregistry.v1+json, application/json")
        if data is not None:
            request.add_header("Content-Type", "application/vnd.schemaregistry.v1+json")
        for authorization in self._authorization(url):
            request.add_header("Authorization", authorization)
        context = self._tls() if url.startswith("https:") else None
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S, context=context) as answer:  # noqa: S310 - as above
            return json.load(answer)

    def _authorization(self, url: str) -> Iterator[str]:
        token, user = self._setting("bearer.auth.token"), self._setting("basic.auth.user.info")
        if token:
            yield f"Bearer {token}"
        elif self._setting("basic.auth.credentials.source") == "USER_INFO":
            yield _basic(user or "")
        elif "@" in urlsplit(url).netloc:
            yield _basic(unquote(urlsplit(url).netloc.rpartition("@")[0]))

    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self._setting("ssl.truststore.location"))
        keystore = self._setting("ssl.keystore.location")
        if keystore:
            context.load_cert_chain(keystore, password=self._setting("ssl.key.password"))
        if self._setting("ssl.endpoint.identification.algorithm") == "":
            context.check_hostname = False
        return context


@lru_cache(maxsize=10_000)
def _schema(registry: SchemaRegistry, schema_id: int) -> RegisteredSchema:
    try:
        answer = registry.ask(f"/schemas/ids/{schema_id}")
    except _NotFoundError as error:  # the message is wrong, not the registry
        raise ValueError(str(error)) from None
    if answer.get("schemaType", "AVRO") != "AVRO":
        raise ValueError(f"schema {schema_id} of the registry is of type {answer['schemaType']}, not AVRO")
    references = dict.fromkeys(_references(registry, answer))
    return RegisteredSchema(answer["schema"], tuple(references))


def _references(registry: SchemaRegistry, answer: Mapping[str, Any]) -> Iterator[str]:
    for reference in answer.get("references", ()):
        subject, version = quote(reference["subject"], safe=""), reference["version"]
        found = registry.ask(f"/subjects/{subject}/versions/{version}")
        yield from _references(registry, found)
        yield found["schema"]


@lru_cache(maxsize=10_000)
def _registered(registry: SchemaRegistry, subject: str, schema: str, schema_type: str) -> int:
    path = f"/subjects/{quote(subject, safe='')}"
    question = {"schema": schema} if schema_type == "AVRO" else {"schema": schema, "schemaType": schema_type}
    answer = registry.ask(path if registry.only_looks_up else f"{path}/versions", question)
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), int):
        raise OSError(f"the schema registry answered {path} without the id of a schema")
    return int(answer["id"])


def _why(error: urllib.error.HTTPError) -> str:
    """Return the registry's own message, if the answer is the registry's."""
    try:
        return f": {str(json.load(error)['message'])[:_LONGEST_REASON]}"
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _basic(user_info: str) -> str:
    return f"Basic {base64.b64encode(user_info.encode()).decode()}"


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
