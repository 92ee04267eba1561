"""Flink's lexical rules."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.sql.syntax.source import SqlText
from kafkastream.sql.syntax.tokens import Token, TokenKind, tokenize
from kafkastream.sql.table import Position


def tokens(text: str) -> tuple[Token, ...]:
    return tokenize(SqlText(text))[:-1]


@pytest.mark.parametrize(
    ("text", "kinds_and_values"),
    [
        ("select Größe $x _y", "WORD SELECT, WORD GRÖSSE, WORD $X, WORD _Y"),
        ("`a-b`.`c``d`", "NAME a-b, SYMBOL ., NAME c`d"),
        ("''''", "STRING '"),
        ("''", "STRING "),
        (r"'\u0001' 'a\'", "STRING \\u0001, STRING a\\"),
        ("'a''b' 'c'", "STRING a'b, STRING c"),
        (r"U&'\0001' u&'D\\\0041'", "STRING \x01, STRING D\\A"),
        (r"U&'\D83D\DE00'", "STRING \U0001f600"),
        ("U&'!263A''!!' uescape '!'", "STRING ☺'!"),
        ("1 1.5 .5 1e3 2.5E-3", "NUMBER 1, NUMBER 1.5, NUMBER .5, NUMBER 1e3, NUMBER 2.5E-3"),
        ("a -- b ' c\n// d\n/* e ' \n*/ f", "WORD A, WORD F"),
        (
            "t /*+ OPTIONS('a' = 'b') */",
            "WORD T, SYMBOL /*+, WORD OPTIONS, SYMBOL (, STRING a, SYMBOL =, STRING b, SYMBOL ), SYMBOL */",
        ),
        (
            "a<>b>>c||d=>e...",
            "WORD A, SYMBOL <, SYMBOL >, WORD B, SYMBOL >, SYMBOL >, WORD C, SYMBOL |, SYMBOL |, WORD D, SYMBOL =, SYMBOL >, WORD E, SYMBOL ...",
        ),
        ("\ufeffa/b", "WORD A, SYMBOL /, WORD B"),
    ],
)
def test_tokens(text: str, kinds_and_values: str) -> None:
    assert ", ".join(f"{token.kind.name} {token.value}" for token in tokens(text)) == kinds_and_values


def test_a_token_knows_its_place_and_its_text() -> None:
    text = "a\r\n  'b\n''c' /* d\n */ `e`"
    assert [(token.position, text[token.start : token.end]) for token in tokens(text)] == [
        (Position(1, 1), "a"),
        (Position(2, 3), "'b\n''c'"),
        (Position(4, 5), "`e`"),
    ]
    assert tokenize(SqlText(text))[-1] == Token(TokenKind.END, "", "", len(text), Position(4, 8))


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('SELECT "a"', "line 1, column 8", "double quote"),
        ("SELECT\n 'a''", "line 2, column 2", "text is never closed"),
        ("SELECT `a\n`", "line 1, column 8", "name is never closed"),
        ("SELECT ``", "line 1, column 8", "name is never closed"),
        ("a /* b", "line 1, column 3", "comment is never closed"),
        ("WITH (\u2018a\u2019 = 'b')", "line 1, column 7", "typographic"),
        ("a \\ b", "line 1, column 3", r"'\\\\' means nothing"),
        (r"U&'a\00zz'", "line 1, column 5", "four hexadecimal digits"),
        ("U&'#263A#''##' UESCAPE '#'", "line 1, column 9", "four hexadecimal digits"),
        ("U&'a' UESCAPE '+'", "line 1, column 1", "cannot mark"),
    ],
)
def test_what_is_no_token(text: str, where: str, what: str) -> None:
    with pytest.raises(DefinitionError, match=what) as caught:
        tokens(text)
    assert caught.value.where.splitlines()[0] == where
