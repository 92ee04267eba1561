"""Calls of functions of texts, patterns, URLs and JSON."""

from __future__ import annotations

from tests.differential.matrix.family import Family, family

__all__ = ["TEXT_FAMILIES"]

_TEXTS = (
    (None, None, None),
    ("", "", 0),
    ("Hello, World", "o", 3),
    ("  pad ", " ", -2),
    ("h\u00e9\u00df \u00dcn\u00efcode", "\u00df", 2),
    ("a\U0001f600b\U0001f600c", "\U0001f600", 2),
    ("\u0130\u0131\u00df\u01c5", "i", 1),
    ("a.b*c|d\\e", "|", 1),
    ("aaa\n", "\n", 20),
    ("12.50", None, -1),
)
_TEXT_CALLS = r"""
UPPER(s)
LOWER(s)
INITCAP(s)
CHAR_LENGTH(s)
CHARACTER_LENGTH(s)
TRIM(s)
TRIM(BOTH t FROM s)
TRIM(LEADING 'a' FROM s)
TRIM(TRAILING 'a' FROM s)
LTRIM(s)
LTRIM(s, t)
RTRIM(s)
RTRIM(s, t)
BTRIM(s)
BTRIM(s, t)
REVERSE(s)
REPEAT(s, n)
REPEAT(s, 2)
LEFT(s, n)
LEFT(s, 2)
RIGHT(s, n)
RIGHT(s, 2)
SUBSTRING(s, n)
SUBSTRING(s, 2, n)
SUBSTRING(s FROM 2 FOR 3)
SUBSTRING(s, 0)
SUBSTRING(s, -3, 2)
SUBSTR(s, n, 2)
SUBSTR(s, 1)
POSITION(t IN s)
INSTR(s, t)
LOCATE(t, s)
LOCATE(t, s, 3)
LOCATE(t, s, n)
OVERLAY(s PLACING t FROM 2)
OVERLAY(s PLACING 'XX' FROM n FOR 2)
OVERLAY(s PLACING 'XX' FROM 3)
REPLACE(s, 'a', 'bb')
REPLACE(s, t, '<>')
REPLACE(s, 'o', t)
TRANSLATE(s, t, 'x')
TRANSLATE(s, 'abc', 'x')
LPAD(s, 8, '*')
LPAD(s, 8, 'xy')
LPAD(s, n, t)
LPAD(s, 4, '😀')
RPAD(s, 8, '*')
RPAD(s, 8, 'xy')
RPAD(s, n, t)
RPAD(s, 4, '😀')
CONCAT(s, t)
CONCAT(s, '-', t)
CONCAT_WS('-', s, t, 'z')
CONCAT_WS(t, s, 'z')
s || t
s || '!'
s LIKE t
s LIKE 'a%'
s LIKE '%_😀%'
s LIKE '%!|%' ESCAPE '!'
s NOT LIKE '%a%'
s LIKE '%\%'
s SIMILAR TO 'a%'
s NOT SIMILAR TO '(a|b)+'
STARTSWITH(s, t)
ENDSWITH(s, t)
SPLIT_INDEX(s, 'b', 1)
SPLIT_INDEX(s, t, n)
SPLIT_INDEX(s, '|', 0)
SPLIT_INDEX(s, 97, 0)
SPLIT(s, t)
SPLIT(s, ',')
ASCII(s)
CHR(n)
ELT(n, s, t)
IS_ALPHA(s)
IS_DECIMAL(s)
IS_DIGIT(s)
TO_BASE64(s)
FROM_BASE64(TO_BASE64(s))
FROM_BASE64(s)
MD5(s)
SHA1(s)
SHA224(s)
SHA256(s)
SHA384(s)
SHA512(s)
SHA2(s, 256)
SHA2(s, 224)
HEX(s)
HEX(n)
UNHEX(s)
UNHEX(HEX(s))
BIN(n)
ENCODE(s, 'UTF-8')
ENCODE(s, 'UTF-16BE')
ENCODE(s, 'US-ASCII')
DECODE(ENCODE(s, 'UTF-8'), 'UTF-8')
DECODE(ENCODE(s, 'UTF-16'), 'UTF-16')
URL_ENCODE(s)
URL_DECODE(URL_ENCODE(s))
URL_DECODE(s)
PRINTF('%s:%d', s, n)
PRINTF(s, t)
STR_TO_MAP(s)
STR_TO_MAP(s, 'l', 'e')
JSON_QUOTE(s)
JSON_UNQUOTE(s)
JSON_UNQUOTE(JSON_QUOTE(s))
JSON_STRING(s)
JSON_OBJECT(KEY 'k' VALUE s)
JSON_ARRAY(s, n)
s = t
s < t
s >= 'a'
s <> t
s IS NULL
s IS NOT DISTINCT FROM t
s IN ('aaa', '', t)
s NOT IN ('aaa', '12.50')
s BETWEEN 'a' AND 'b'
s NOT BETWEEN SYMMETRIC 'b' AND 'a'
GREATEST(s, t)
LEAST(s, t, 'b')
COALESCE(t, s, 'z')
IFNULL(t, 'none')
NULLIF(s, 'aaa')
IF(s = 'aaa', t, s)
CASE s WHEN 'aaa' THEN 1 WHEN '' THEN 2 ELSE 3 END
CASE WHEN s LIKE 'a%' THEN s ELSE 'x' END
UPPER(CAST(s AS CHAR(3)))
UUID() = s
TYPEOF(s)
"""
_PATTERNS = (
    (None, None, None, None),
    ("foothebar", "foo(.*?)(bar)", "<$1>", 2),
    ("foothebar", "[", "x", 1),
    ("a1b2", "(\\d)", "\\1", 1),
    ("\U0001f600x\U0001f600", "\U0001f600", "$0", 0),
    ("abc", "", "-", 0),
    ("ab12cd", "[a-z]+", "$", 1),
    ("x", "(?<n>x)", "${n}", 1),
    ("a.b", "\\.", "\\$", 0),
    ("aaa", "a*", "b", -1),
    ("", "a", "b", 0),
    ("line\nbreak", "line.break", "_", 0),
)
_PATTERN_CALLS = r"""
REGEXP(s, p)
REGEXP(s, '[')
REGEXP_EXTRACT(s, p)
REGEXP_EXTRACT(s, p, g)
REGEXP_EXTRACT(s, '[')
REGEXP_EXTRACT(s, '([a-z])', 1)
REGEXP_EXTRACT(s, '(a)|(b)', 2)
REGEXP_EXTRACT_ALL(s, p)
REGEXP_EXTRACT_ALL(s, p, g)
REGEXP_EXTRACT_ALL(s, '[a-z]', 0)
REGEXP_REPLACE(s, p, r)
REGEXP_REPLACE(s, p, '')
REGEXP_REPLACE(s, '(\d)', '<$1>')
REGEXP_REPLACE(s, '[', 'x')
REGEXP_REPLACE(s, 'a', '$0\')
REGEXP_COUNT(s, p)
REGEXP_INSTR(s, p)
REGEXP_SUBSTR(s, p)
s SIMILAR TO p
s SIMILAR TO '[a-f]%'
s LIKE p
SPLIT(s, p)
"""
_URLS = (
    (None,),
    ("",),
    ("http://user:pw@facebook.com:80/path1/p.php?k1=v1&k2=v%202&k1=z#Ref1",),
    ("not a url",),
    ("https://a.b/?q=%F0%9F%98%80",),
    ("%zz%41+b",),
    ("ftp://x/y?z",),
    ("\t http://h/a   b?c  d#e  f\n",),
    ("http://u:v@w@h/p",),
    ("http:////p?q",),
    ("http://h:-1/x",),
    ("http://h:99999999999/",),
    ("http://[::1]:80/a",),
    ("http://[x/",),
    ("http://a b/",),
    ("http://a\tb/",),
    ("url:HTTP://H/?#",),
    ("jar:file:/a.jar!/b?c",),
    ("jar:file:/a.jar",),
    ("mailto:",),
)
_URL_CALLS = "\n".join(
    [
        f"PARSE_URL(s, '{part}')"
        for part in ["HOST", "PATH", "QUERY", "REF", "PROTOCOL", "AUTHORITY", "FILE", "USERINFO", "NONE"]
    ]
    + ["PARSE_URL(s, 'QUERY', 'k1')", "PARSE_URL(s, 'QUERY', 'k2')", "PARSE_URL(s, 'PATH', 'k1')"]
    + ["URL_DECODE(s)", "URL_ENCODE(s)"]
)
_DOCUMENTS = (
    (None,),
    ("",),
    ('{"a": 1.50, "b": -0.0, "c": null, "z": {"y": 1, "b": [1, 2.50, "x"]}}',),
    ('{"a": "text", "b": true, "c": [1, 2, null], "z": [{"y": "\u00e9\U0001f600"}, {"y": 2}]}',),
    ('{"a": 12345678901234567890, "b": 1e3, "c": "", "z": {}}',),
    ('{"a": "12", "b": "12", "c": false, "z": []}',),
    ('[1, [2, 3], {"a": 4}]',),
    ('"scalar"',),
    ("null",),
    ("{broken",),
    ('{"a": {"b": "quo\\"te\\n"}, "a": 2, "b": 0.1000, "c": 1E400}',),
)
_DOCUMENT_CALLS = r"""
JSON_VALUE(s, '$.a')
JSON_VALUE(s, '$.b')
JSON_VALUE(s, '$.c')
JSON_VALUE(s, '$.z')
JSON_VALUE(s, '$')
JSON_VALUE(s, '$[0]')
JSON_VALUE(s, 'lax $.z.y')
JSON_VALUE(s, 'strict $.z.y')
JSON_VALUE(s, '$.z[0].y')
JSON_VALUE(s, '$.z.b[1]')
JSON_VALUE(s, '$[''a'']')
JSON_VALUE(s, '$.a' RETURNING INT)
JSON_VALUE(s, '$.a' RETURNING INTEGER DEFAULT -1 ON EMPTY)
JSON_VALUE(s, '$.b' RETURNING BOOLEAN)
JSON_VALUE(s, '$.b' RETURNING DOUBLE)
JSON_VALUE(s, '$.b' RETURNING BIGINT)
JSON_VALUE(s, '$.a' RETURNING STRING)
JSON_VALUE(s, '$.a' DEFAULT 'q' ON EMPTY)
JSON_VALUE(s, '$.z' DEFAULT 'q' ON ERROR)
JSON_VALUE(s, '$.c' NULL ON EMPTY DEFAULT 'e' ON ERROR)
JSON_VALUE(s, 'strict $.q' DEFAULT 'y' ON EMPTY DEFAULT 'e' ON ERROR)
JSON_VALUE(s, 'lax $.q' DEFAULT 'y' ON EMPTY DEFAULT 'e' ON ERROR)
JSON_VALUE(s, 'strict $.a' ERROR ON EMPTY ERROR ON ERROR)
JSON_QUERY(s, '$')
JSON_QUERY(s, '$.z')
JSON_QUERY(s, '$.a')
JSON_QUERY(s, '$.c')
JSON_QUERY(s, '$.z.b')
JSON_QUERY(s, '$.z' WITH WRAPPER)
JSON_QUERY(s, '$.a' WITH CONDITIONAL WRAPPER)
JSON_QUERY(s, '$.c' WITH CONDITIONAL ARRAY WRAPPER)
JSON_QUERY(s, '$.b' WITH UNCONDITIONAL ARRAY WRAPPER)
JSON_QUERY(s, '$.c' WITHOUT WRAPPER)
JSON_QUERY(s, '$.q' EMPTY ARRAY ON EMPTY)
JSON_QUERY(s, '$.q' EMPTY OBJECT ON EMPTY EMPTY ARRAY ON ERROR)
JSON_QUERY(s, 'strict $.q' EMPTY OBJECT ON ERROR)
JSON_QUERY(s, '$.c' RETURNING ARRAY<STRING>)
JSON_QUERY(s, '$.z.b' RETURNING ARRAY<STRING>)
JSON_QUERY(s, '$.z' RETURNING ARRAY<STRING> WITH WRAPPER)
JSON_EXISTS(s, '$.a')
JSON_EXISTS(s, '$.c')
JSON_EXISTS(s, '$.z.y')
JSON_EXISTS(s, 'strict $.z.y')
JSON_EXISTS(s, '$')
JSON_EXISTS(s, '$.q' TRUE ON ERROR)
JSON_EXISTS(s, 'strict $.q' TRUE ON ERROR)
JSON_EXISTS(s, 'strict $.q' FALSE ON ERROR)
JSON_EXISTS(s, 'strict $.q' UNKNOWN ON ERROR)
s IS JSON
s IS NOT JSON
s IS JSON VALUE
s IS JSON SCALAR
s IS JSON ARRAY
s IS JSON OBJECT
s IS NOT JSON OBJECT
JSON_QUOTE(s)
JSON_UNQUOTE(s)
JSON_STRING(s)
JSON_OBJECT('k' VALUE s NULL ON NULL)
JSON_OBJECT('k' VALUE s ABSENT ON NULL)
JSON_OBJECT('k' VALUE JSON_ARRAY(s, 1.50, TRUE), KEY 'z' VALUE 1)
JSON_ARRAY(s NULL ON NULL)
JSON_ARRAY(s, JSON_OBJECT('a' VALUE s))
JSON_OBJECT()
JSON_ARRAY()
CAST(TRY_PARSE_JSON(s) AS STRING)
JSON_STRING(TRY_PARSE_JSON(s))
TRY_PARSE_JSON(s) IS NULL
PARSE_JSON(s) IS NULL
"""

TEXT_FAMILIES: tuple[Family, ...] = (
    family("texts", "s STRING; t STRING; n INT", _TEXTS, _TEXT_CALLS),
    family("patterns", "s STRING; p STRING; r STRING; g INT", _PATTERNS, _PATTERN_CALLS),
    family("urls", "s STRING", _URLS, _URL_CALLS),
    family("documents", "s STRING", _DOCUMENTS, _DOCUMENT_CALLS),
)
"""Families of functions of texts."""
