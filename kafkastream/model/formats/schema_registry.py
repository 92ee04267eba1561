"""A Confluent schema registry, asked for schemas over its REST interface."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from functools import lru_cache, partial
from http.client import HTTPException
from threading import Thread
from typing import Any, Final, TypeVar, final
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.malformed import record_limits
from kafkastream.options.records import MAX_SCHEMA_SIZE
from kafkastream.secret_masking import redacted

__all__ = ["RegisteredSchema", "SchemaRegistry"]

_WHERE: Final = "schema registry"
_TIMEOUT_S: Final = 30
_DEADLINE_S: Final = 60
_LONGEST_REASON: Final = 500
_LONGEST_REFUSAL: Final = 64 * 1024
_MOST_REFERENCES: Final = 500
# https://docs.confluent.io/platform/current/schema-registry/develop/api.html: "Schema not found"
_NO_SCHEMA: Final = 40403
_PREFIX: Final = "schema.registry."
_PORTS: Final = {"http": 80, "https": 443}
_SOURCES: Final = ("URL", "USER_INFO", "SASL_INHERIT")

T = TypeVar("T")


class _RefusedError(OSError):
    """The registry's answer is no, with its own code of the reason."""

    def __init__(self, text: str, code: Any) -> None:
        super().__init__(text)
        self.code = code


class _TooLargeError(ValueError):
    """An answer is beyond the limit for schemas."""


@final
@attrs.frozen
class _UnusableSchema:
    """A schema by which no record can be read: asked for once, too."""

    problem: str


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
            ValueError: The schema is not in the registry, is not an Avro schema, or is too large.
        """
        schema = _schema(self, schema_id)
        if isinstance(schema, _UnusableSchema):
            raise ValueError(schema.problem)  # noqa: TRY004 - no argument of a wrong type
        return schema

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
            ValueError: The answer is larger than a job's limit for schemas.
        """
        problems = []
        for url in self._urls:
            try:
                return _within(_DEADLINE_S, partial(self._ask, url, path, question))
            except (_RefusedError, _TooLargeError):
                raise
            except (OSError, ValueError, RecursionError, HTTPException) as error:
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
        try:
            with self._opener(url).open(request, timeout=_TIMEOUT_S) as answer:
                content = answer.read(record_limits().schema_bytes + 1)
        except urllib.error.HTTPError as error:
            with error:  # it is the answer, too
                raise _refusal(path, error) from None
        if len(content) > record_limits().schema_bytes:
            raise _too_large(path)
        return json.loads(content)

    def _opener(self, url: str) -> urllib.request.OpenerDirector:
        has_credentials = bool(list(self._authorization(url)) or self._setting("ssl.keystore.location"))
        handlers: list[urllib.request.BaseHandler] = [_Redirects(url if has_credentials else None)]
        if url.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=self._tls()))
        return urllib.request.build_opener(*handlers)

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


@final
class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but does not carry credentials to another scheme, host or port.

    ``urllib`` sends all headers to wherever it is redirected, ``Authorization`` among them:
    https://github.com/python/cpython/blob/3.13/Lib/urllib/request.py

    Args:
        url: Address to which the credentials belong; None if there are none.
    """

    def __init__(self, url: str | None) -> None:
        self._url = url

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Return the request that follows a redirect.

        Raises:
            OSError: There are credentials, which are not for this address; or it is not one of HTTP.
        """
        if urlsplit(newurl).scheme not in _PORTS or (self._url and _origin(newurl) != _origin(self._url)):
            fp.close()
            raise OSError(
                f"it redirects to {redacted(_without_user(newurl))}, and credentials are only sent to the configured address"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _origin(url: str) -> tuple[str, str | None, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme, 0)


@lru_cache(maxsize=10_000)
def _schema(registry: SchemaRegistry, schema_id: int) -> RegisteredSchema | _UnusableSchema:
    path = f"/schemas/ids/{schema_id}"
    try:
        answer = registry.ask(path)
        schema_type = answer.get("schemaType", "AVRO")
        if schema_type != "AVRO":
            return _UnusableSchema(f"schema {schema_id} of the registry is of type {schema_type}, not AVRO")
        references = _References(registry, path, len(_text_of(answer)))
        references.add_those_of(answer)
        return RegisteredSchema(_text_of(answer), tuple(references.texts.values()))
    except _RefusedError as error:
        if error.code != _NO_SCHEMA:
            raise
        raise ValueError(str(error)) from None  # the message is wrong, not the registry
    except _TooLargeError as error:
        return _UnusableSchema(str(error))
    except (LookupError, TypeError, AttributeError):
        raise OSError(f"the schema registry answered {path} without a schema") from None


@final
@attrs.define(eq=False)
class _References:
    """Schemas to which one refers, by subject and version, those first that others need.

    Args:
        registry: The registry.
        path: Path of the schema, for errors.
        size: Size of the schema.
    """

    registry: SchemaRegistry
    path: str
    size: int
    texts: dict[str, str] = attrs.field(factory=dict)
    _asked: set[str] = attrs.field(factory=set)

    def add_those_of(self, answer: Mapping[str, Any]) -> None:
        """Add the references of a schema, and theirs; in a cycle, each once."""
        for reference in answer.get("references") or ():
            path = f"/subjects/{quote(reference['subject'], safe='')}/versions/{reference['version']}"
            if path in self._asked:
                continue
            self._asked.add(path)
            referenced = self.registry.ask(path)
            self.size += len(_text_of(referenced))
            if self.size > record_limits().schema_bytes or len(self._asked) > _MOST_REFERENCES:
                raise _too_large(self.path)
            self.add_those_of(referenced)
            self.texts[path] = _text_of(referenced)


def _text_of(answer: Any) -> str:
    text = answer["schema"]
    if not isinstance(text, str):
        raise TypeError("the schema is not a text")
    return text


@lru_cache(maxsize=10_000)
def _registered(registry: SchemaRegistry, subject: str, schema: str, schema_type: str) -> int:
    path = f"/subjects/{quote(subject, safe='')}"
    question = {"schema": schema} if schema_type == "AVRO" else {"schema": schema, "schemaType": schema_type}
    answer = registry.ask(path if registry.only_looks_up else f"{path}/versions", question)
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), int):
        raise OSError(f"the schema registry answered {path} without the id of a schema")
    return int(answer["id"])


def _refusal(path: str, error: urllib.error.HTTPError) -> _RefusedError:
    """Return the error of an answer that is no, with the registry's own code and message, if there are any."""
    text, code = f"the schema registry answered {path} with HTTP {error.code} {error.reason}", None
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError, HTTPException):
        answer = json.loads(error.read(_LONGEST_REFUSAL))
        code = answer.get("error_code") if isinstance(answer, dict) else None
        text = f"{text}: {str(answer['message'])[:_LONGEST_REASON]}"
    return _RefusedError(text, code)


def _too_large(path: str) -> _TooLargeError:
    return _TooLargeError(
        f"the schema registry answered {path} with a schema that is larger than {record_limits().schema_bytes:,} bytes, or "
        f"refers to more than {_MOST_REFERENCES} others ({MAX_SCHEMA_SIZE.key})"
    )


def _within(seconds: float, function: Callable[[], T]) -> T:
    """Return the result of a function that ends in time.

    The time-out of a connection is that of each read, and a server may send a byte at a time.

    Raises:
        TimeoutError: The function has not ended; it does so in the background.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            future.set_exception(error)

    Thread(target=run, name="schema-registry", daemon=True).start()
    try:
        return future.result(seconds)
    except FutureTimeoutError:
        if future.done():  # the function's own
            raise
        raise TimeoutError(f"no complete answer within {seconds:g} s") from None


def _basic(user_info: str) -> str:
    return f"Basic {base64.b64encode(user_info.encode()).decode()}"


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
