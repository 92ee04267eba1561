"""Classes and methods beside queries that programs in PyFlink's words use: types, schemas, names, settings, modules."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from kafkastream.common import Configuration
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.table import (
    DataTypes,
    EnvironmentSettings,
    Schema,
    SqlDialect,
    StreamTableEnvironment,
    TableConfig,
    TableEnvironment,
    TableSchema,
)
from kafkastream.table.catalog import (
    CatalogDescriptor,
    Column,
    ObjectIdentifier,
    ObjectPath,
    ResolvedSchema,
    UniqueConstraint,
)
from kafkastream.table.types import (
    ArrayType,
    DataType,
    DecimalType,
    IntegralType,
    IntType,
    MapType,
    NumericType,
    RowType,
    VarCharType,
    create_arrow_schema,
    from_arrow_type,
    to_arrow_type,
)
from kafkastream.table.udf import udf


@pytest.fixture
def t_env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def test_classes_of_types_know_their_types() -> None:
    assert isinstance(DataTypes.INT(), IntType)
    assert isinstance(DataTypes.INT(), IntegralType)
    assert isinstance(DataTypes.DECIMAL(5, 2), NumericType)
    assert not isinstance(DataTypes.STRING(), NumericType)
    assert IntType(False) == DataTypes.INT(nullable=False)
    assert DecimalType(5, 2) == DataTypes.DECIMAL(5, 2)
    assert VarCharType(nullable=True) == DataTypes.STRING()
    assert MapType(DataTypes.STRING(), ArrayType(DataTypes.INT())).value_type.element_type == DataTypes.INT()
    row = RowType([DataTypes.FIELD("id", DataTypes.BIGINT(), "the key")])
    assert (row.field_names(), row.field_types()) == (["id"], [DataTypes.BIGINT()])
    assert (row.fields[0].data_type, row.fields[0].description) == (DataTypes.BIGINT(), "the key")
    assert DataTypes.DATE().bridged_to("java.sql.Date") == DataTypes.DATE()


@pytest.mark.parametrize(
    ("arrow", "sql"),
    [
        (pa.int64(), DataTypes.BIGINT()),
        (pa.string(), DataTypes.STRING()),
        (pa.binary(3), DataTypes.BINARY(3)),
        (pa.decimal128(9, 2), DataTypes.DECIMAL(9, 2)),
        (pa.time32("ms"), DataTypes.TIME(3)),
        (pa.time64("us"), DataTypes.TIME(6)),
        (pa.timestamp("s"), DataTypes.TIMESTAMP(0)),
        (pa.timestamp("ns"), DataTypes.TIMESTAMP(9)),
        (pa.list_(pa.int8()), DataTypes.ARRAY(DataTypes.TINYINT())),
        (pa.map_(pa.string(), pa.float64()), DataTypes.MAP(DataTypes.STRING(), DataTypes.DOUBLE())),
        (pa.struct([("x", pa.bool_())]), DataTypes.ROW([DataTypes.FIELD("x", DataTypes.BOOLEAN())])),
    ],
)
def test_arrow_types_and_back(arrow: pa.DataType, sql: DataType) -> None:
    assert from_arrow_type(arrow) == sql
    assert to_arrow_type(sql) == arrow


def test_schema_of_arrow() -> None:
    assert create_arrow_schema(["d"], [DataTypes.DATE().not_null()]) == pa.schema(
        [pa.field("d", pa.date32(), nullable=False)]
    )
    with pytest.raises(DefinitionError, match="no type of Arrow's"):
        to_arrow_type(DataTypes.MULTISET(DataTypes.INT()))


def test_resolved_schema_of_a_query(t_env: TableEnvironment) -> None:
    schema = t_env.sql_query("SELECT 1 AS id, 'a' AS name").get_resolved_schema()
    assert schema.get_column_names() == ["id", "name"]
    assert str(schema.get_column(0)) == "`id` INT NOT NULL"
    assert schema.get_column("nobody") is None
    key = UniqueConstraint.primary_key("pk", ["id"])
    keyed = ResolvedSchema(schema.get_columns(), [], key)
    assert keyed.get_primary_key_indexes() == [0]
    assert "CONSTRAINT `pk` PRIMARY KEY (`id`) NOT ENFORCED" in str(keyed)
    assert "PRIMARY KEY" in str(Schema.new_builder().from_resolved_schema(keyed).build())
    virtual = Column.metadata("ts", DataTypes.TIMESTAMP(3), "timestamp", True)
    assert str(virtual) == "`ts` TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL"
    assert ResolvedSchema.of([virtual]).to_sink_row_data_type().fields == ()
    assert t_env.execute_sql("SHOW TABLES").get_resolved_schema().get_column_names() == ["table name"]


def test_names_of_objects() -> None:
    path = ObjectPath.from_string("db.t")
    assert (path.get_database_name(), path.get_object_name(), str(path)) == ("db", "t", "db.t")
    identifier = ObjectIdentifier.of("c", "db", "a.b")
    assert str(identifier) == "`c`.`db`.`a.b`"
    assert identifier.to_object_path() == ObjectPath("db", "a.b")
    with pytest.raises(DefinitionError, match="Cannot split"):
        ObjectPath.from_string("t")


def test_lists_of_an_environment(t_env: TableEnvironment) -> None:
    t_env.execute_sql("CREATE TABLE kept (id INT) WITH ('connector' = 'print')")
    t_env.execute_sql("CREATE TEMPORARY TABLE passing (id INT) WITH ('connector' = 'print')")
    t_env.create_temporary_view("seen", t_env.sql_query("SELECT 1"))
    assert t_env.list_temporary_tables() == ["passing", "seen"]
    assert t_env.list_temporary_views() == ["seen"]
    t_env.create_temporary_function("mine", udf(lambda x: x, result_type="INT"))
    assert {"mine", "upper"} <= set(t_env.list_functions())
    assert (t_env.list_modules(), t_env.list_models()) == (["core"], [])
    t_env.use_modules("core")
    refusals: list[Callable[[], object]] = [
        lambda: t_env.use_modules("hive"),
        lambda: t_env.create_java_function("f", "org.example.F"),
        lambda: t_env.compile_plan_sql("INSERT INTO kept SELECT 1"),
        lambda: t_env.get_catalog("default_catalog"),
    ]
    for refused in refusals:
        with pytest.raises(UnsupportedFeatureError):
            refused()


def test_catalog_of_a_descriptor(t_env: TableEnvironment) -> None:
    options = Configuration()
    options.set_string("type", "paper")
    with pytest.raises(UnsupportedFeatureError, match="paper"):
        t_env.create_catalog("c", CatalogDescriptor.of("c", options))


def test_settings() -> None:
    settings = EnvironmentSettings.new_instance().with_built_in_catalog_name("default_catalog").build()
    assert (settings.get_built_in_catalog_name(), settings.get_built_in_database_name()) == (
        "default_catalog",
        "default_database",
    )
    with pytest.raises(UnsupportedFeatureError):
        EnvironmentSettings.new_instance().with_built_in_database_name("mine")
    config = TableConfig.get_default()
    config.set_python_executable("/usr/bin/python3")
    assert (config.get_python_executable(), config.to_map()) == (
        "/usr/bin/python3",
        {"python.executable": "/usr/bin/python3"},
    )
    assert config.get_sql_dialect() is SqlDialect.DEFAULT
    with pytest.raises(UnsupportedFeatureError):
        config.set_sql_dialect(SqlDialect.HIVE)


def test_schema_of_the_former_kind() -> None:
    schema = TableSchema.builder().field("a", DataTypes.INT()).field("b", DataTypes.STRING()).build()
    assert schema.copy() == schema
    assert str(schema.to_row_data_type()) == "ROW<`a` INT, `b` STRING>"


def test_pipeline_names_its_sink(t_env: TableEnvironment) -> None:
    t_env.execute_sql("CREATE TABLE kept (id INT) WITH ('connector' = 'print')")
    pipeline = t_env.sql_query("SELECT 1").insert_into("kept")
    assert pipeline.get_sink_identifier().to_list() == ["default_catalog", "default_database", "kept"]


def test_statements_become_streams() -> None:
    from kafkastream.datastream import StreamExecutionEnvironment

    env = StreamExecutionEnvironment.get_execution_environment()
    t_env = StreamTableEnvironment.create(env)
    t_env.execute_sql("CREATE TABLE kept (id INT) WITH ('connector' = 'print')")
    statements = t_env.create_statement_set().add_insert_sql("INSERT INTO kept SELECT 1")
    statements.attach_as_datastream()
    assert "kept" in env.get_execution_plan()
