"""Flink's dialect for sqlglot's parser: functions are plain calls, types are parsed by our own parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from sqlglot import exp, parser, tokens
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokens import TokenType

from kafkastream.sql.parser.match_syntax import match_recognize

__all__ = ["Flink", "told_by_dialect"]

_WRAPPERS: Final = ("CONDITIONAL", "UNCONDITIONAL", "ARRAY", "WRAPPER")

_TVFS = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})
_NOT_WORDS = (
    "PIVOT",
    "UNPIVOT",
    "ILIKE",
    "GLOB",
    "DIV",
    "XOR",
    "RLIKE",
    "REGEXP",
    "TOP",
    "SESSION",
    "ISNULL",
    "NOTNULL",
    "RETURNING",
    "//",
)
_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})


_NESTING: Final = {"(": 1, "<": 1, ")": -1, ">": -1}
_MARK: Final = "\0"


def told_by_dialect(description: str) -> str:
    """Return the words of an error that the dialect has raised; empty for one of sqlglot."""
    return description.removeprefix(_MARK) if description.startswith(_MARK) else ""


class _Tokenizer(tokens.Tokenizer):
    IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`"]
    STRING_ESCAPES: ClassVar[list[str]] = ["'"]
    COMMENTS: ClassVar[list[str | tuple[str, str]]] = ["--", "//", ("/*", "*/")]
    UNICODE_STRINGS: ClassVar[list[str | tuple[str, str]]] = [("U&'", "'"), ("u&'", "'")]
    HEX_STRINGS: ClassVar[list[str | tuple[str, str]]] = [("x'", "'"), ("X'", "'")]
    NESTED_COMMENTS = False
    TOKENS_PRECEDING_HINT: ClassVar[set[TokenType]] = set(TokenType)
    KEYWORDS: ClassVar[dict[str, TokenType]] = {
        **{word: kind for word, kind in tokens.Tokenizer.KEYWORDS.items() if word not in _NOT_WORDS},
        "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
    }


class _Parser(parser.Parser):
    FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {}
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {"CASE": lambda self: self._parse_case()}
    FUNCTION_PARSERS: ClassVar[dict[str, Callable[..., Any]]] = {
        "CAST": lambda self: self._flink_cast(exp.Cast),
        "TRY_CAST": lambda self: self._flink_cast(exp.TryCast),
        "JSON_VALUE": lambda self: self._flink_json("JSON_VALUE"),
        "JSON_QUERY": lambda self: self._flink_json("JSON_QUERY"),
        "JSON_EXISTS": lambda self: self._flink_json("JSON_EXISTS"),
        "JSON_OBJECT": lambda self: self._flink_json_pairs("JSON_OBJECT"),
        "JSON_OBJECTAGG": lambda self: self._flink_json_pairs("JSON_OBJECTAGG"),
        "JSON_ARRAY": lambda self: self._flink_json_list("JSON_ARRAY"),
        "JSON_ARRAYAGG": lambda self: self._flink_json_list("JSON_ARRAYAGG"),
        "ROW": lambda self: exp.Anonymous(this="ROW", expressions=self._parse_csv(self._parse_disjunction)),
        **{
            name: parser.Parser.FUNCTION_PARSERS[name]
            for name in ("CEIL", "EXTRACT", "FLOOR", "OVERLAY", "POSITION", "SUBSTRING", "TRIM")
        },
        "CEILING": parser.Parser.FUNCTION_PARSERS["CEIL"],
    }

    def refuse(self, what: str, token: Any = None) -> None:
        """Raise an error in words of this package, which ``told_by_dialect`` finds again among the parser's errors."""
        self.raise_error(_MARK + what, token or self._curr)

    def _parse_statement(self) -> Any:
        """Parse ``VALUES ...`` and ``TABLE t`` as queries, too."""
        if self._match(TokenType.VALUES, advance=False):
            query: Any = self._parse_derived_table_values()
        elif self._match(TokenType.TABLE):
            table: Any = self._parse_table_parts()
            query = exp.select("*").from_(table)
        else:
            return super()._parse_statement()
        return self._parse_query_modifiers(self._parse_set_operations(query))

    def _parse_derived_table_values(self, *args: Any, **options: Any) -> Any:
        """Parse ``(VALUES ...)``, unless it is the beginning of a set operation in parentheses."""
        index = self._index
        if not self._match_pair(TokenType.L_PAREN, TokenType.VALUES):
            return super()._parse_derived_table_values(*args, **options)
        rows = self._parse_csv(self._parse_value)
        if self._match(TokenType.R_PAREN):
            return exp.Values(expressions=rows, alias=self._parse_table_alias())
        self._retreat(index)
        return None

    def _parse_in(self, this: Any, alias: bool = False) -> Any:
        """Parse ``IN (VALUES ...)`` as a query, too."""
        if not self._match_pair(TokenType.L_PAREN, TokenType.VALUES, advance=False):
            return super()._parse_in(this, alias)
        values: Any = self._parse_derived_table_values()
        return exp.In(this=this, query=self._values_to_select(values).subquery(copy=False))

    def _flink_cast(self, kind: type[exp.Expr]) -> exp.Expr:
        value = self._parse_disjunction()
        if not self._match(TokenType.ALIAS):
            self.refuse("Expected AS and a type")
        return kind(this=value, to=self._flink_type())

    def _flink_type(self) -> exp.Expr:
        """Read the text of a type, up to the call's closing parenthesis, or up to a JSON clause."""
        start, depth = self._curr, 0
        words = []
        while self._curr and (depth or self._curr.token_type is not TokenType.R_PAREN):
            word = "" if self._curr.token_type is TokenType.IDENTIFIER else self._curr.text.upper()
            if not depth and (word in ("NULL", "ERROR", "DEFAULT", "EMPTY", "WITHOUT") or self._wraps_json()):
                break
            depth += sum(_NESTING.get(letter, 0) for letter in word)
            words.append(self._curr.text.upper())
            self._advance()
        text = self.sql[start.start : self._prev.end + 1]
        type_ = exp.Var(this=text).update_positions(start)
        type_.meta["words"] = words
        type_.meta["type"] = text
        return type_

    def _flink_json(self, name: str) -> exp.Expr:
        """Parse ``JSON_VALUE(text, path [RETURNING type] [wrapper] [... ON EMPTY] [... ON ERROR])``."""
        call = exp.Anonymous(this=name, expressions=self._parse_csv(self._parse_disjunction))
        clauses: dict[str, Any] = {}
        if self._match_text_seq("RETURNING"):
            call.set("returning", self._flink_type())
        call.meta["wrapper"] = self._json_wrapper() if name == "JSON_QUERY" else "WITHOUT"
        while self._curr and self._curr.token_type is not TokenType.R_PAREN:
            what, value = self._curr.text.upper(), None
            self._advance()
            if what == "DEFAULT":
                value = self._parse_bitwise()
            elif what == "EMPTY" and self._match_texts(("ARRAY", "OBJECT")):
                what = f"EMPTY {self._prev.text.upper()}"
            elif what not in ("NULL", "ERROR", "TRUE", "FALSE", "UNKNOWN"):
                self.refuse(f"{what} in {name} is not understood")
            if not self._match(TokenType.ON) or not self._match_texts(("EMPTY", "ERROR")):
                self.refuse("Expected ON EMPTY or ON ERROR")
            clauses[self._prev.text.upper()] = (what, value)
        call.meta["json"] = clauses
        return call

    def _json_wrapper(self) -> str:
        """Parse ``WITHOUT [ARRAY] WRAPPER`` or ``WITH [CONDITIONAL | UNCONDITIONAL] [ARRAY] WRAPPER``."""
        if not self._match_texts(("WITH", "WITHOUT")):
            return "WITHOUT"
        found = str(self._prev.text.upper())
        if found == "WITH":
            is_told = self._match_texts(("CONDITIONAL", "UNCONDITIONAL"))
            found = str(self._prev.text.upper()) if is_told else "UNCONDITIONAL"
        self._match_text_seq("ARRAY")
        if not self._match_text_seq("WRAPPER"):
            self.refuse("Expected WRAPPER")
        return found

    def _wraps_json(self) -> bool:
        """Return whether ``WITH ... WRAPPER`` follows, rather than the time zone of a type."""
        return bool(self._curr.text.upper() == "WITH" and self._next and self._next.text.upper() in _WRAPPERS)

    def _flink_json_pairs(self, name: str) -> exp.Expr:
        """Parse ``JSON_OBJECT([KEY] k VALUE v, ... [ABSENT ON NULL])``: keys and values by turns."""
        parts: list[Any] = []
        while not self._json_call_ends():
            parts += self._json_pair()
            if not self._match(TokenType.COMMA):
                break
        return self._json_nulls(exp.Anonymous(this=name, expressions=parts))

    def _flink_json_list(self, name: str) -> exp.Expr:
        """Parse ``JSON_ARRAY(v, ... [ABSENT ON NULL])``."""
        values = [] if self._json_call_ends() else self._parse_csv(self._parse_disjunction)
        return self._json_nulls(exp.Anonymous(this=name, expressions=values))

    def _json_pair(self) -> tuple[Any, Any]:
        if self._curr.text.upper() == "KEY" and self._next.text.upper() not in ("VALUE", ":", "."):
            self._advance()
        key = self._parse_bitwise()
        if not self._match_text_seq("VALUE") and not self._match(TokenType.COLON):
            self.refuse("Expected VALUE after the key")
        return key, self._parse_disjunction()

    def _json_call_ends(self) -> bool:
        """Return whether the end of the call or its clause follows, rather than a value."""
        words = [token.text.upper() for token in self._tokens[self._index : self._index + 3]]
        return words[:1] == [")"] or words in (["NULL", "ON", "NULL"], ["ABSENT", "ON", "NULL"])

    def _json_nulls(self, call: exp.Anonymous) -> exp.Anonymous:
        """Parse ``NULL ON NULL`` or ``ABSENT ON NULL``."""
        for word in ("NULL", "ABSENT"):
            if self._match_text_seq(word, "ON", "NULL"):
                call.meta["nulls"] = word
        return call

    def _parse_interval(self, require_interval: bool = True, parse_function_unit: bool = True) -> Any:
        """Parse ``INTERVAL [-] 'n' unit[(p)] [TO unit[(p)]]``, and nothing else."""
        index = self._index
        if not self._match(TokenType.INTERVAL):
            return None
        sign = "-" if self._match(TokenType.DASH) else ""
        if not self._curr or self._curr.token_type not in (TokenType.STRING, TokenType.NUMBER):
            self._retreat(index)
            return None
        number = exp.Literal.string(sign + self._curr.text)
        self._advance()
        unit: Any = self._interval_unit()
        digits = [unit.meta["digits"]]
        if self._match_text_seq("TO"):
            unit = exp.IntervalSpan(this=unit, expression=self._interval_unit())
            digits.append(unit.expression.meta["digits"])
        interval = exp.Interval(this=number, unit=unit).update_positions(self._tokens[index])
        interval.meta["digits"] = digits
        return interval

    def _interval_unit(self) -> exp.Var:
        word = self._curr.text.upper() if self._curr else ""
        singular = word.removesuffix("S")
        if singular not in _UNITS:
            self.refuse(f"{word or 'The end'} is not a unit of an interval: Take one of {', '.join(sorted(_UNITS))}.")
        self._advance()
        unit, digits = exp.var(singular), list[str]()
        if self._match(TokenType.L_PAREN):
            while self._match_set((TokenType.NUMBER, TokenType.COMMA)):
                digits += [self._prev.text] if self._prev.token_type is TokenType.NUMBER else []
            self._match_r_paren()
        unit.meta["digits"] = [int(one) for one in digits if one.isdecimal()]
        return unit

    def _parse_table(self, *args: Any, **options: Any) -> Any:
        joins, alias_tokens = options.get("joins", False), options.get("alias_tokens")
        called: Any
        index = self._index
        if self._match(TokenType.LATERAL):
            return self._flink_lateral(alias_tokens)
        if self._match(TokenType.TABLE):
            if self._match(TokenType.L_PAREN):
                called = self._table_call()
                self._match_r_paren()
            else:
                called = self._parse_table_parts()
        elif self._curr and self._curr.text.upper() in _TVFS and self._next.token_type is TokenType.L_PAREN:
            called = self._tvf()
        elif (
            self._curr
            and self._curr.token_type in (TokenType.VAR, TokenType.IDENTIFIER)
            and not (self._curr.text.upper() in ("LATERAL", "UNNEST") and self._curr.token_type is TokenType.VAR)
        ):
            called = self._parse_table_parts()
        else:
            self._retreat(index)
            return super()._parse_table(*args, **options)
        self._table_suffixes(called, alias_tokens)
        if joins:
            for join in self._parse_joins(alias_tokens=alias_tokens):
                called.append("joins", join)
        return called

    def _flink_lateral(self, alias_tokens: Any) -> exp.Expr:
        """Parse what follows LATERAL: ``TABLE(f(a))``, ``UNNEST(a)`` or a query in parentheses, and its alias."""
        inner: Any = None
        if self._match(TokenType.TABLE):
            self._match_l_paren()
            inner = self._table_call()
            self._match_r_paren()
        elif self._curr and self._curr.token_type is TokenType.L_PAREN:
            query: Any = self._parse_wrapped(self._parse_select)
            inner = exp.Subquery(this=query)
        else:
            inner = self._parse_unnest(with_alias=False)
        if inner is None:
            self.refuse("Expected TABLE(f(a)), UNNEST(a) or a query in parentheses after LATERAL")
        alias = self._parse_table_alias(alias_tokens=alias_tokens or self.TABLE_ALIAS_TOKENS)
        if isinstance(inner, exp.Unnest):
            inner.set("alias", alias)
            return inner
        return exp.Lateral(this=inner, alias=alias)

    def _table_call(self) -> exp.Expr:
        """Parse the function in TABLE(...): a window function, or a table function, perhaps with its database."""
        if self._curr and self._curr.text.upper() in _TVFS:
            return self._tvf()
        call = self._parse_disjunction()
        if not isinstance(call.expression if isinstance(call, exp.Dot) else call, exp.Anonymous):
            self.refuse(
                "Expected a function, as in TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) or TABLE(f(a))"
            )
        return exp.Table(this=call)

    def _table_suffixes(self, table: exp.Expr, alias_tokens: Any) -> None:
        if self._match(TokenType.HINT):
            table.set("hints", [self._hint()])
        if self._match_text_seq("FOR", "SYSTEM_TIME", "AS", "OF"):
            version = exp.Version(this="SYSTEM_TIME", kind="AS OF", expression=self._parse_bitwise())
            table.set("version", version)
        if alias := self._parse_table_alias(alias_tokens=alias_tokens or self.TABLE_ALIAS_TOKENS):
            table.set("alias", alias)
        if found := self._parse_match_recognize():
            table.set("match", found)

    def _parse_match_recognize(self) -> exp.MatchRecognize | None:
        return match_recognize(self)

    def _parse_subquery(self, *args: Any, **options: Any) -> Any:
        """Parse MATCH_RECOGNIZE behind a query in parentheses, too."""
        query: Any = super()._parse_subquery(*args, **options)
        if query and (found := self._parse_match_recognize()):
            query.set("match", found)
        return query

    def _parse_hint(self) -> Any:
        """Parse the hints of a SELECT as text."""
        return exp.Hint(expressions=[self._hint()]) if self._match(TokenType.HINT) else None

    def _hint(self) -> exp.Expr:
        """Return the hint that was just parsed, as text."""
        return exp.Var(this=self._prev.text).update_positions(self._prev)

    def _tvf(self) -> exp.Expr:
        name = self._curr
        self._advance()
        if not self._match(TokenType.L_PAREN):
            self.refuse("Expected a window function, as in TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))")
        arguments = self._parse_csv(self._tvf_argument)
        self._match_r_paren()
        call = exp.Anonymous(this=name.text, expressions=arguments).update_positions(name)
        return exp.Table(this=call)

    def _tvf_argument(self) -> Any:
        if self._next and self._next.token_type is TokenType.FARROW:
            key = self._curr.text.upper()
            self._advance(2)
            return exp.Kwarg(this=exp.var(key), expression=self._tvf_value())
        return self._tvf_value()

    def _tvf_value(self) -> Any:
        if self._match(TokenType.TABLE):
            table: Any = self._parse_table_parts()
            if self._match(TokenType.HINT):
                table.set("hints", [self._hint()])
            return self._partitioned(table)
        if self._curr.token_type is TokenType.L_PAREN and self._next.token_type in (TokenType.SELECT, TokenType.WITH):
            query: Any = self._parse_wrapped(self._parse_select)
            return self._partitioned(query.subquery())
        if self._curr.text.upper() == "DESCRIPTOR":
            at = self._curr
            self._advance()
            return exp.Anonymous(
                this="DESCRIPTOR", expressions=self._parse_wrapped_csv(self._parse_column)
            ).update_positions(at)
        return self._parse_disjunction()

    def _partitioned(self, table: exp.Expr) -> exp.Expr:
        if self._match(TokenType.PARTITION_BY):
            is_wrapped = self._curr.token_type is TokenType.L_PAREN
            keys = self._parse_wrapped_csv(self._parse_column) if is_wrapped else [self._parse_column()]
            table.set("partition", exp.Tuple(expressions=keys))
        return table


class Flink(Dialect):
    """Dialect of Flink SQL, without sqlglot's own functions: each is a plain call, which we compile ourselves."""

    Tokenizer = _Tokenizer
    Parser = _Parser
