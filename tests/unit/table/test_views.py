"""Views in which the order of rows means nothing."""

from __future__ import annotations

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment


def test_an_order_is_dropped_in_a_view_and_refused_in_a_query() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE numbers (n INT, t STRING) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE VIEW ordered AS SELECT n FROM numbers ORDER BY t")
    assert t_env.sql_query("SELECT * FROM ordered").get_schema().get_field_names() == ["n"]
    assert "ORDER BY t" in str(list(t_env.execute_sql("SHOW CREATE VIEW ordered").collect()))
    with pytest.raises(UnsupportedFeatureError, match="ORDER BY without a limit"):
        t_env.sql_query("SELECT n FROM numbers ORDER BY t")
