"""Values as they are shown in a notebook."""

from __future__ import annotations

from kafkastream.common import Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.table import EnvironmentSettings, TableEnvironment


def test_environment_lists_its_operators_and_a_stream_has_a_type() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    words = env.from_collection(["a"], Types.STRING()).map(len, Types.LONG()).name("<length>").set_parallelism(1)
    assert words._repr_html_().endswith("<tr><td>&lt;length&gt;</td><td>Long</td><td>1</td></tr></tbody></table>")
    assert "<td>2</td>" in env._repr_html_()
    assert "<td>&lt;length&gt;</td><td>1</td>" in env._repr_html_()


def test_table_lists_its_columns() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    orders = t_env.sql_query("SELECT 1 AS n, ARRAY['<'] AS texts")
    assert "<td>n</td><td>INT NOT NULL</td>" in orders._repr_html_()
    assert "<td>texts</td><td>ARRAY&lt;STRING NOT NULL&gt; NOT NULL</td>" in orders._repr_html_()
