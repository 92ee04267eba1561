"""Documents in YAML are read, or refused with a place; nothing else happens, and not for long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.variables import Variables
from kafkastream.errors import KafkastreamError

HONEST = r"""
source: &source
  type: kafka
  topic: [orders, "others"]
  properties.bootstrap.servers: ${servers}
  scan.startup.mode: earliest-offset
sink: {type: postgres, hostname: db, username: u, password: '${secret_values.pw}'}
transform:
  - source-table: shop.\.*
    projection: \*, id * 2 AS twice
    primary-keys: id
route:
  - source-table: shop.(\.*)
    sink-table: ods.$1
pipeline:
  name: orders
  parallelism: 2
  schema.change.behavior: lenient
"""
PIECES = [
    *"[]{}:-?&*!|>'\"%@`#,~\t\n \r\x85\0\ufeff",
    "<<: *source", "&a [*a]", "*a", "!!python/object/apply:os.system", "!!set", "---", "...", "${", "}", "${x}", "$1", "..",
    "kafkastream_progress", "source:", " route:", "route:", "name:", "9" * 50, "1:2:3", "null", ".inf", "\\", r"\.*", "(", "x" * 300,
]  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Return the honest document with parts replaced, or a document of pieces."""
    text = draw(st.sampled_from([HONEST, ""]))
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 6)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)))
        text = text[:start] + piece * draw(st.sampled_from([1, 1, 2, 100])) + text[end:]
    return text


@given(documents())
def test_document_is_read_or_refused(text: str) -> None:
    refusal: KafkastreamError | None = None
    try:
        read_document(text, "job.yaml", Variables({"servers": "k:9092", "secret_values.pw": "s3cret"}, {}))
    except KafkastreamError as error:
        refusal = error
    assert refusal is None or refusal.where
    assert "s3cret" not in str(refusal)
