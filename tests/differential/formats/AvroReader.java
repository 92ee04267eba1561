import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.DecoderFactory;

/** Reads a pair of schemas and a record from each line of the input, and prints the record as Java's Avro resolves it. */
public class AvroReader {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            ObjectNode result = JSON.objectNode();
            try {
                result.set("value", json(read(mapper.readTree(line))));
            } catch (Exception | StackOverflowError error) {
                result.put("error", error.getClass().getSimpleName() + ": " + error.getMessage());
            }
            System.out.println(mapper.writeValueAsString(result));
        }
    }

    private static Object read(JsonNode pair) throws Exception {
        // Confluent's client does not validate the defaults of a schema that is registered already.
        Schema writer = new Schema.Parser().setValidateDefaults(false).parse(pair.get("writer").toString());
        Schema reader = new Schema.Parser().parse(pair.get("reader").toString());
        byte[] data = Base64.getDecoder().decode(pair.get("data").textValue());
        return new GenericDatumReader<>(writer, reader).read(null, DecoderFactory.get().binaryDecoder(data, null));
    }

    private static JsonNode json(Object value) {
        if (value == null) {
            return JSON.nullNode();
        } else if (value instanceof Boolean) {
            return JSON.booleanNode((Boolean) value);
        } else if (value instanceof Integer || value instanceof Long) {
            return JSON.numberNode(((Number) value).longValue());
        } else if (value instanceof Float || value instanceof Double) {
            return JSON.objectNode().put("double", Double.toHexString(((Number) value).doubleValue()));
        } else if (value instanceof ByteBuffer) {
            ByteBuffer buffer = (ByteBuffer) value;
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return JSON.objectNode().put("bytes", Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof GenericFixed) {
            return JSON.objectNode().put("bytes", Base64.getEncoder().encodeToString(((GenericFixed) value).bytes()));
        } else if (value instanceof IndexedRecord) {
            ObjectNode fields = JSON.objectNode();
            for (Schema.Field field : ((IndexedRecord) value).getSchema().getFields()) {
                fields.set(field.name(), json(((IndexedRecord) value).get(field.pos())));
            }
            return JSON.objectNode().set("fields", fields);
        } else if (value instanceof List) {
            var elements = JSON.arrayNode();
            ((List<?>) value).forEach(element -> elements.add(json(element)));
            return elements;
        } else if (value instanceof Map) {
            ObjectNode fields = JSON.objectNode();
            ((Map<?, ?>) value).forEach((key, element) -> fields.set(key.toString(), json(element)));
            return JSON.objectNode().set("fields", fields);
        }
        return JSON.textNode(value.toString()); // of a string or an enum
    }
}
