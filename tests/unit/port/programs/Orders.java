import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Adds the total to each order, in JSON. */
public class Orders {

    public static class Item {
        public String name;
        public int count;
        public double price;
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    public static class Order {
        public long orderId;
        public String customer;
        public List<Item> items = new ArrayList<>();

        public double total() {
            double total = 0;
            for (Item item : items) {
                total += item.count * item.price;
            }
            return total;
        }
    }

    public static class OrderSchema extends AbstractDeserializationSchema<Order> {
        private transient ObjectMapper mapper;

        @Override
        public void open(InitializationContext context) {
            mapper = new ObjectMapper();
        }

        @Override
        public Order deserialize(byte[] message) throws java.io.IOException {
            return mapper.readValue(message, Order.class);
        }
    }

    static class ToJson extends RichMapFunction<Order, String> {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        @Override
        public String map(Order order) throws Exception {
            ObjectNode node = MAPPER.createObjectNode();
            node.put("id", order.orderId);
            node.put("total", order.total());
            return MAPPER.writeValueAsString(node);
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        KafkaSource<Order> source = KafkaSource.<Order>builder()
                .setBootstrapServers(args[0])
                .setTopics(args[1])
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setBounded(OffsetsInitializer.latest())
                .setValueOnlyDeserializer(new OrderSchema())
                .build();
        KafkaSink<String> sink = KafkaSink.<String>builder()
                .setBootstrapServers(args[0])
                .setRecordSerializer(KafkaRecordSerializationSchema.builder()
                        .setTopic(args[2])
                        .setKeySerializationSchema((String json) -> {
                            JsonNode node = new ObjectMapper().readTree(json);
                            return node.get("id").asText().getBytes();
                        })
                        .setValueSerializationSchema(new SimpleStringSchema())
                        .build())
                .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders")
                .filter(order -> order.customer != null)
                .map(new ToJson())
                .sinkTo(sink);
        env.execute("orders");
    }
}
