import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.formats.common.TimestampFormat;
import org.apache.flink.formats.csv.CsvRowDataDeserializationSchema;
import org.apache.flink.formats.csv.CsvRowDataSerializationSchema;
import org.apache.flink.formats.csv.CsvRowDeserializationSchema;
import org.apache.flink.formats.csv.CsvRowSerializationSchema;
import org.apache.flink.formats.json.JsonParserRowDataDeserializationSchema;
import org.apache.flink.formats.json.JsonRowDeserializationSchema;
import org.apache.flink.formats.json.JsonRowSerializationSchema;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.JsonQueryOnEmptyOrError;
import org.apache.flink.table.api.JsonQueryWrapper;
import org.apache.flink.table.api.JsonValueOnEmptyOrError;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.conversion.DataStructureConverter;
import org.apache.flink.table.data.conversion.DataStructureConverters;
import org.apache.flink.table.runtime.functions.SqlJsonUtils;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/** Runs a question of each line of the input through the classes of Flink's formats, and prints the answer as JSON. */
public class FlinkFormats {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Map<String, Object> answer = new LinkedHashMap<>();
            try {
                answer.put("value", answer(MAPPER.readTree(line)));
            } catch (Throwable error) {
                String message = error.getClass().getSimpleName() + ": " + error.getMessage();
                answer.put("error", message.substring(0, Math.min(message.length(), 200)));
            }
            System.out.println(MAPPER.writeValueAsString(answer));
        }
        System.exit(0);
    }

    private static Object answer(JsonNode question) throws Exception {
        switch (question.get("ask").textValue()) {
            case "sql json read":
                return external(question, json(question, question.path("ignore").booleanValue(), data(question)));
            case "sql csv read":
                return external(question, csvRead(question));
            case "sql csv write":
                return csvWritten(question);
            case "row json read":
                return String.valueOf(jsonRead(question));
            case "row csv read":
                return String.valueOf(csvRowRead(question));
            case "json function":
                return function(text(data(question)), question.get("name").textValue());
            case "row json write":
                JsonRowSerializationSchema json = JsonRowSerializationSchema.builder().withTypeInfo(rowType(question)).build();
                json.open(null);
                return text(json.serialize(row(question.get("row"))));
            case "row csv write":
                CsvRowSerializationSchema csv = new CsvRowSerializationSchema.Builder(rowType(question)).build();
                csv.open(null);
                return text(csv.serialize(row(question.get("row"))));
            default:
                throw new IllegalArgumentException(question.toString());
        }
    }

    private static Object function(String document, String name) {
        switch (name) {
            case "JSON_VALUE":
                return text(SqlJsonUtils.jsonValue(
                        document, "$.x", JsonValueOnEmptyOrError.NULL, null, JsonValueOnEmptyOrError.NULL, null));
            case "JSON_QUERY":
                return text(SqlJsonUtils.jsonQuery(
                        document,
                        "$.x",
                        SqlJsonUtils.JsonQueryReturnType.STRING,
                        JsonQueryWrapper.WITHOUT_ARRAY,
                        JsonQueryOnEmptyOrError.NULL,
                        JsonQueryOnEmptyOrError.NULL));
            case "JSON_EXISTS":
                return String.valueOf(SqlJsonUtils.jsonExists(document, "$.x"));
            default:
                return String.valueOf(SqlJsonUtils.isJsonValue(document));
        }
    }

    private static String text(Object value) {
        return value == null ? null : String.valueOf(value);
    }

    private static byte[] data(JsonNode question) {
        return Base64.getDecoder().decode(question.get("data").textValue());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static RowType logical(JsonNode question) {
        return (RowType) LogicalTypeParser.parse(question.get("type").textValue(), FlinkFormats.class.getClassLoader());
    }

    private static List<RowData> json(JsonNode question, boolean ignore, byte[] message) throws Exception {
        RowType type = logical(question);
        JsonParserRowDataDeserializationSchema schema =
                new JsonParserRowDataDeserializationSchema(type, InternalTypeInfo.of(type), false, ignore, TimestampFormat.SQL);
        schema.open(null);
        List<RowData> rows = new ArrayList<>();
        schema.deserialize(message, new Collector<RowData>() {
            @Override
            public void collect(RowData row) {
                rows.add(row);
            }

            @Override
            public void close() {}
        });
        return rows;
    }

    private static List<String> external(JsonNode question, List<RowData> rows) {
        DataStructureConverter<Object, Object> converter =
                DataStructureConverters.getConverter(TypeConversions.fromLogicalToDataType(logical(question)));
        converter.open(FlinkFormats.class.getClassLoader());
        List<String> texts = new ArrayList<>();
        for (RowData row : rows) {
            texts.add(row == null ? null : String.valueOf(converter.toExternalOrNull(row)));
        }
        return texts;
    }

    private static List<RowData> csvRead(JsonNode question) throws Exception {
        RowType type = logical(question);
        CsvRowDataDeserializationSchema.Builder builder =
                new CsvRowDataDeserializationSchema.Builder(type, InternalTypeInfo.of(type));
        if (question.has("null")) {
            builder.setNullLiteral(question.get("null").textValue());
        }
        builder.setIgnoreParseErrors(question.path("ignore").booleanValue());
        CsvRowDataDeserializationSchema schema = builder.build();
        schema.open(null);
        List<RowData> rows = new ArrayList<>();
        rows.add(schema.deserialize(data(question)));
        return rows;
    }

    private static String csvWritten(JsonNode question) throws Exception {
        CsvRowDataSerializationSchema.Builder builder = new CsvRowDataSerializationSchema.Builder(logical(question));
        if (question.has("scientific")) {
            builder.setWriteBigDecimalInScientificNotation(question.get("scientific").booleanValue());
        }
        if (question.has("null")) {
            builder.setNullLiteral(question.get("null").textValue());
        }
        CsvRowDataSerializationSchema schema = builder.build();
        schema.open(null);
        return text(schema.serialize(json(question, false, data(question)).get(0)));
    }

    private static Row jsonRead(JsonNode question) throws Exception {
        JsonRowDeserializationSchema.Builder builder = new JsonRowDeserializationSchema.Builder(rowType(question));
        JsonRowDeserializationSchema schema =
                question.path("ignore").booleanValue() ? builder.ignoreParseErrors().build() : builder.build();
        schema.open(null);
        return schema.deserialize(data(question));
    }

    private static Row csvRowRead(JsonNode question) throws Exception {
        CsvRowDeserializationSchema.Builder builder = new CsvRowDeserializationSchema.Builder(rowType(question));
        if (question.has("null")) {
            builder.setNullLiteral(question.get("null").textValue());
        }
        builder.setIgnoreParseErrors(question.path("ignore").booleanValue());
        CsvRowDeserializationSchema schema = builder.build();
        schema.open(null);
        return schema.deserialize(data(question));
    }

    private static RowTypeInfo rowType(JsonNode question) {
        return (RowTypeInfo) type(question.get("type"));
    }

    private static TypeInformation<?> type(JsonNode type) {
        if (type.has("row")) {
            List<String> names = new ArrayList<>();
            List<TypeInformation<?>> types = new ArrayList<>();
            type.get("row").fields().forEachRemaining(field -> {
                names.add(field.getKey());
                types.add(type(field.getValue()));
            });
            return Types.ROW_NAMED(names.toArray(new String[0]), types.toArray(new TypeInformation<?>[0]));
        } else if (type.has("array")) {
            return Types.OBJECT_ARRAY(type(type.get("array")));
        }
        switch (type.textValue()) {
            case "INT":
                return Types.INT;
            case "DOUBLE":
                return Types.DOUBLE;
            case "BIG_DEC":
                return Types.BIG_DEC;
            case "BIG_INT":
                return Types.BIG_INT;
            case "LONG":
                return Types.LONG;
            case "FLOAT":
                return Types.FLOAT;
            case "SQL_TIMESTAMP":
                return Types.SQL_TIMESTAMP;
            default:
                return Types.STRING;
        }
    }

    /** Integers, text and null are values; objects have the values of a row, and its names if they are given. */
    private static Object value(JsonNode node) {
        if (node.isObject()) {
            return row(node);
        }
        return node.isNull() ? null : node.isInt() ? (Object) node.intValue() : node.textValue();
    }

    private static Row row(JsonNode node) {
        JsonNode values = node.get("values");
        if (node.has("names")) {
            Row row = Row.withNames();
            for (int i = 0; i < values.size(); i++) {
                row.setField(node.get("names").get(i).textValue(), value(values.get(i)));
            }
            return row;
        }
        Row row = Row.withPositions(values.size());
        for (int i = 0; i < values.size(); i++) {
            row.setField(i, value(values.get(i)));
        }
        return row;
    }
}
