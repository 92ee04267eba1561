"""Patterns of table ids, and what routes, mappings and transform rules make of them."""

from __future__ import annotations

import pickle

import pytest

from kafkastream.cdc.patterns import TablePattern, java_regex
from kafkastream.cdc.spec.kafka_sink import TopicMapping
from kafkastream.cdc.spec.rules import AfterTransform, RouteRule, TransformRule, first_transform
from kafkastream.cdc.spec.settings import RouteMode
from kafkastream.cdc.table_rules import Router
from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.pipeline import PipelineSpec, PrintSink, ValuesSource


@pytest.mark.parametrize(
    ("pattern", "selected", "left"),
    [
        (r"\.*\.\.*", ["a", "a.b", "a.b.c"], []),
        (r"\.*.\.*", ["a.b", "a"], ["a.b.c"]),
        (r"\.*", ["a", "a.b"], []),
        ("shop.orders", ["shop.orders", "SHOP.Orders", "orders"], ["shopxorders", "shop.orders2", "other.orders"]),
        (r"db\.\.*", ["db.a", "db.b"], ["dc.a"]),
        (r"db.\.*", ["db.a", "db.b"], ["db2.a"]),
        (r"db.t[1-3]", ["db.t1", "db.t3"], ["db.t4"]),
        (r"db.t\d{1\,2}", ["db.t1", "db.t12"], ["db.t123"]),
        (r"db.t1, db.t2 ,", ["db.t1", "db.t2"], ["db.t3"]),
        (r"db.(?!(hidden)$)\.*", ["db.seen"], ["db.hidden"]),
    ],
)
def test_transform_rules_select_tables(pattern: str, selected: list[str], left: list[str]) -> None:
    tables = TablePattern(pattern)
    assert [table for table in (*selected, *left) if tables.selects(TableId.parse(table))] == selected


@pytest.mark.parametrize(
    ("source", "sink", "table", "target"),
    [
        ("db.t1", "db.t2", "db.t1", "db.t2"),
        (r"db.t_\.*", "db.merged", "db.t_1", "db.merged"),
        (r"db1.(\.*)", "db1.pre_$1", "db1.tbl1", "db1.pre_tbl1"),
        (r"(\.*).tbl3", "$1_suf.tbl3", "db2.tbl3", "db2_suf.tbl3"),
        (r"db(\.*).(tbl\.*)", "no$1.$2", "db1.tbl1", "no1.tbl1"),
        (r"inv_(\d+).table_(\.*)", "table_$2.inv_$1", "inv_22.table_bar", "table_bar.inv_22"),
        # Java replaces each match, and the empty one behind the first, too: Flink CDC writes ods.allods.all.
        (r"\.*", "ods.all", "db.t", "ods.all"),
        ("db.t1,db.t10", "ods.t", "db.t10", "ods.t"),
        (r"db.(a)(b)?", "x.$1$2", "db.a", "x.a"),
        (r"db.(a)", "x.$12", "db.a", "x.a2"),
        (r"db.(a)", r"x.\$1", "db.a", "x.$1"),
        (r"DB.t", "x.y", "db.t", None),
        (r"\.*.\.*", "x.y", "t", None),
    ],
)
def test_routes_name_targets(source: str, sink: str, table: str, target: str | None) -> None:
    found = RouteRule(source_table=source, sink_table=sink).target(TableId.parse(table))
    assert (None if found is None else str(found)) == target


def test_the_replace_symbol_is_the_name_of_the_table() -> None:
    rule = RouteRule(source_table=r"db.\.*", sink_table="ods.<>_of_<>", replace_symbol="<>")
    assert rule.target(TableId.parse("db.t$1")) == TableId.parse("ods.t$1_of_t$1")


@pytest.mark.parametrize(
    ("mode", "targets"), [(RouteMode.ALL_MATCH, ["ods.all", "ods.t1"]), (RouteMode.FIRST_MATCH, ["ods.all"])]
)
def test_all_rules_that_match_count_or_the_first(mode: RouteMode, targets: list[str]) -> None:
    rules = (
        RouteRule(source_table=r"db.\.*", sink_table="ods.all"),
        RouteRule(source_table="db.t1", sink_table="ods.t1"),
        RouteRule(source_table="db.t1", sink_table="ods.all"),
    )
    router = Router(rules, mode)
    for _ in range(2):
        assert [str(target) for target in router.targets(TableId.parse("db.t1"))] == targets
        assert [str(target) for target in router.targets(TableId.parse("other.t"))] == ["other.t"]
    assert pickle.loads(pickle.dumps(router)) == router


def test_the_first_transform_rule_counts() -> None:
    rules = (
        TransformRule(source_table="db.t1", projection=r"\*, UPPER(a) AS b", primary_keys="id, day"),
        TransformRule(source_table=r"db.\.*", after_transform=AfterTransform.SOFT_DELETE),
    )
    assert rules[0].projection == "*, UPPER(a) AS b"
    assert rules[0].primary_keys == ("id", "day")
    found = [first_transform(rules, TableId.parse(table)) for table in ("db.t1", "db.t2", "x.t1")]
    assert found == [rules[0], rules[1], None]


@pytest.mark.parametrize(("first", "second"), [("db.t1", "db.t1"), ("db.t1,db.t2", r"db.\.*"), (r"db.\.*", "db.t1")])
def test_a_rule_for_rows_that_the_filter_of_another_drops_is_refused(first: str, second: str) -> None:
    rules = (TransformRule(source_table=first, filter="id > 5"), TransformRule(source_table=second, filter="id <= 5"))
    with pytest.raises(UnsupportedFeatureError, match=r"rules select the table db\.t1, and the first has a filter"):
        PipelineSpec(source=ValuesSource(), sink=PrintSink(), transforms=rules)
    with pytest.raises(UnsupportedFeatureError, match="would never reach the rule of"):
        first_transform(rules, TableId.parse("db.t1"))


def test_a_rule_without_a_filter_may_stand_before_others() -> None:
    rules = (TransformRule(source_table="db.t1"), TransformRule(source_table=r"db.\.*", filter="id > 5"))
    assert PipelineSpec(source=ValuesSource(), sink=PrintSink(), transforms=rules).transforms == rules
    assert first_transform(rules, TableId.parse("db.t1")) is rules[0]


def test_topics_are_mapped_by_patterns() -> None:
    mapping = TopicMapping.parse(r"mydb.t1,mydb.t2:mytable;mydb.x_\.*:others;")
    topics = {table: mapping.topic(TableId.parse(table)) for table in ("mydb.t1", "mydb.t2", "mydb.x_9", "mydb.t3")}
    assert topics == {"mydb.t1": "mytable", "mydb.t2": "mytable", "mydb.x_9": "others", "mydb.t3": None}


@pytest.mark.parametrize("text", ["mydb.t1", "mydb.t1:", ":topic", "a.b:x;c.d"])
def test_a_mapping_has_tables_and_a_topic(text: str) -> None:
    with pytest.raises(ValueError, match="expected tables:topic"):
        TopicMapping.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        r"\p{Lower}+", r"\Qa\E", "a++", "a*+", "a{1,2}+", "(?>a)", "(?m)a", "[a-c[x-z]]", "[a-z&&[^b]]", "(?P<n>a)",
        "a{x", "a{,2}", "(", "[a", "*a", "(?<=a*)b", r"\k<n>",
    ],
)  # fmt: skip
def test_expressions_that_differ_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"support|expression|quantifier"):
        java_regex(text)


@pytest.mark.parametrize(
    ("text", "matching"),
    [
        ("(?i)abc", "ABC"), ("(?:a|b)+c", "abc"), ("(?<n>a)b", "ab"), ("(?<=a)?b{2,}", "bb"), (r"\d+\-\w*", "12-a"),
        (r"[\w.]+", "a.b"), (r"a\{1", "a{1"), ("[{]+", "{{"), (r"(a)\1", "aa"), ("a+?b", "aab"),
    ],
)  # fmt: skip
def test_expressions_that_are_the_same_are_taken(text: str, matching: str) -> None:
    assert java_regex(text).fullmatch(matching)


@pytest.mark.parametrize("text", ["", " , "])
def test_a_pattern_names_tables(text: str) -> None:
    with pytest.raises(DefinitionError, match="empty"):
        TablePattern(text)


def test_a_pattern_that_means_something_else_says_how_dots_work() -> None:
    with pytest.raises(DefinitionError, match=r"db\.\*") as refused:
        TablePattern("db.*")
    assert "A dot separates" in refused.value.now


@pytest.mark.parametrize(
    ("sink", "symbol", "reason"),
    [
        ("", None, "no 'sink-table'"),
        ("x.$2", None, "refers to group 2"),
        ("x.$", None, "followed by no number"),
        ("a.b.c.d", None, "one to three parts"),
        ("x.<>", "", "empty"),
    ],
)
def test_a_route_that_leads_nowhere_is_refused(sink: str, symbol: str | None, reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason.replace("$", r"\$")):
        RouteRule(source_table=r"db.(\.*)", sink_table=sink, replace_symbol=symbol)
