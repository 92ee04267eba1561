from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.kafka.jaas import LoginEntry, login_entry
from kafkastream.model.common.immutable import FrozenMap

SECRET = "hunter2"


def entry(module: str, **options: str) -> LoginEntry:
    return LoginEntry(module, FrozenMap(options))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'a.b.PlainLoginModule required username="u" password="p";',
            entry("PlainLoginModule", username="u", password="p"),
        ),
        (
            "PlainLoginModule REQUIRED username=u password=p_$-.1;",
            entry("PlainLoginModule", username="u", password="p_$-.1"),
        ),
        ("x.ScramLoginModule sufficient\n username='u' ;  \n", entry("ScramLoginModule", username="u")),
        ("M required;", entry("M")),
        ('M required a = "1=2;3" /* ; */ b="//c" // the end;\n;', entry("M", a="1=2;3", b="//c")),
        (r'M required a="\"\\" b="\x\t\101";', entry("M", a='"\\', b="x\tA")),
        ('M required a=\'"\' b="\'" c="";', entry("M", a='"', b="'", c="")),
        ("M required name=värde;", entry("M", name="värde")),
    ],
)
def test_entry_is_read_as_javas_client_reads_it(text: str, expected: LoginEntry) -> None:
    assert login_entry(text) == expected


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z_][\w-]*", fullmatch=True), st.text(st.characters(exclude_characters="\n\r"))
    )
)
def test_what_was_quoted_is_read(options: dict[str, str]) -> None:
    escaped = {key: value.replace("\\", "\\\\").replace('"', '\\"') for key, value in options.items()}
    text = " ".join(f'{key}="{value}"' for key, value in escaped.items())
    assert login_entry(f"M required {text};") == entry("M", **options)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the class of a login module is missing"),
        (SECRET, "the flag after the login module is missing"),
        (f"M {SECRET};", "the flag after the login module is not one of"),
        (f'M required password="{SECRET}"', "the semicolon at the end is missing"),
        (f"M required password={SECRET}", "the semicolon at the end is missing"),
        ("M required password=;", "the value of option 'password' is missing"),
        (f"M required {SECRET} password;", "the '=' after an option's name is missing"),
        (f'M required password="{SECRET}', "character 21 is not allowed there"),
        (f"M required password=1{SECRET};", "character 21 is not allowed there"),
        (f"M required password={SECRET}/x;", "character 28 is not allowed there"),
        (f"M required; N required password={SECRET};", "exactly one login module"),
    ],
)
def test_what_is_malformed_is_told_without_values(text: str, what: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        login_entry(text)
    assert what in raised.value.what
    assert SECRET not in str(raised.value)


def test_repr_shows_no_value() -> None:
    assert SECRET not in repr(login_entry(f"M required password={SECRET};"))
