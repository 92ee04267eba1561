"""Methods of ``Expression`` on JSON, and hashes."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from kafkastream.sql.types import DataType
from kafkastream.table.api.json_clauses import (
    JsonExistsOnError,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
)
from kafkastream.table.api.tree_methods import TreeMethods

__all__ = ["JsonMethods"]


class JsonMethods(TreeMethods):
    """Methods on texts of JSON, and hashes of texts."""

    @property
    def md5(self) -> Self:
        """Return the MD5 hash, in hexadecimal digits."""
        return self._call("MD5")

    @property
    def sha1(self) -> Self:
        """Return the SHA-1 hash, in hexadecimal digits."""
        return self._call("SHA1")

    @property
    def sha224(self) -> Self:
        """Return the SHA-224 hash, in hexadecimal digits."""
        return self._call("SHA224")

    @property
    def sha256(self) -> Self:
        """Return the SHA-256 hash, in hexadecimal digits."""
        return self._call("SHA256")

    @property
    def sha384(self) -> Self:
        """Return the SHA-384 hash, in hexadecimal digits."""
        return self._call("SHA384")

    @property
    def sha512(self) -> Self:
        """Return the SHA-512 hash, in hexadecimal digits."""
        return self._call("SHA512")

    def sha2(self, hash_length: Any) -> Self:
        """Return the SHA-2 hash of a length in bits, in hexadecimal digits."""
        return self._call("SHA2", hash_length)

    def is_json(self, json_type: JsonType | None = None) -> Self:
        """Return whether the text is JSON, or JSON of a type."""
        return self._compared("{0} IS JSON" if json_type is None else f"{{0}} IS JSON {json_type.name}")

    isJson = is_json

    def json_quote(self) -> Self:
        """Return the text as a string of JSON."""
        return self._call("JSON_QUOTE")

    jsonQuote = json_quote

    def json_unquote(self) -> Self:
        """Return the text of a string of JSON."""
        return self._call("JSON_UNQUOTE")

    jsonUnquote = json_unquote

    def json_exists(self, path: str, on_error: JsonExistsOnError | None = None) -> Self:
        """Return whether JSON has a member at a path.

        Args:
            path: Path such as ``$.a``.
            on_error: Result for invalid JSON; by default false.
        """
        more = "" if on_error is None else f" {on_error.name} ON ERROR"
        return self._form(f"JSON_EXISTS({{0}}, {{1}}{more})", path)

    jsonExists = json_exists

    def json_value(
        self,
        path: str,
        returning_type: DataType = DataType.string(),  # noqa: B008 - a frozen value
        on_empty: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_empty: Any = None,
        on_error: JsonValueOnEmptyOrError = JsonValueOnEmptyOrError.NULL,
        default_on_error: Any = None,
    ) -> Self:
        """Return a scalar of JSON.

        Args:
            path: Path such as ``$.a``.
            returning_type: Type of the result.
            on_empty: Result when nothing is at the path.
            default_on_empty: Default for it.
            on_error: Result for invalid JSON, and for values that are not scalars.
            default_on_error: Default for it.
        """
        clauses: list[str] = []
        defaults: list[Any] = []
        for what, how, default in (("EMPTY", on_empty, default_on_empty), ("ERROR", on_error, default_on_error)):
            is_default = how is JsonValueOnEmptyOrError.DEFAULT and default is not None
            value = f"DEFAULT {{{2 + len(defaults)}}}" if is_default else how.name.replace("DEFAULT", "NULL")
            defaults += [default] if is_default else []
            clauses.append(f" {value} ON {what}")
        returning = f" RETURNING {returning_type.nullable()}" if returning_type.nullable() != DataType.string() else ""
        return self._form(f"JSON_VALUE({{0}}, {{1}}{returning}{''.join(clauses)})", path, *defaults)

    jsonValue = json_value

    def json_query(
        self,
        path: str,
        wrapping_behavior: JsonQueryWrapper = JsonQueryWrapper.WITHOUT_ARRAY,
        on_empty: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
        on_error: JsonQueryOnEmptyOrError = JsonQueryOnEmptyOrError.NULL,
    ) -> Self:
        """Return an object or an array of JSON, as text.

        Args:
            path: Path such as ``$.a``.
            wrapping_behavior: Whether the result is put into an array.
            on_empty: Result when nothing is at the path.
            on_error: Result for invalid JSON, and for a scalar.
        """
        empty, error = (one.name.replace("_", " ") for one in (on_empty, on_error))
        wrapper = (
            ""
            if wrapping_behavior is JsonQueryWrapper.WITHOUT_ARRAY
            else f" WITH {wrapping_behavior.name.replace('_', ' ')} WRAPPER"
        )
        clauses = f"{wrapper} {empty} ON EMPTY {error} ON ERROR"
        return self._form(f"JSON_QUERY({{0}}, {{1}}{clauses})", path)

    jsonQuery = json_query
