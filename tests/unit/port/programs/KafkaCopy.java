import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.CheckpointingMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Properties;

public class KafkaCopy {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaCopy.class);
    private static final String BROKERS = System.getenv().getOrDefault("BOOTSTRAP_SERVERS", "localhost:9092");

    public static void main(String[] args) throws Exception {
        String input = args[0];
        String output = args.length > 1 ? args[1] : input + "-copy";
        LOG.info("Copying {} to {}", input, output);

        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.enableCheckpointing(10_000L, CheckpointingMode.EXACTLY_ONCE);

        env.fromSource(createSource(input), WatermarkStrategy.noWatermarks(), "records")
                .filter(value -> !value.isEmpty())
                .uid("not-empty")
                .sinkTo(createSink(output))
                .name("copy");
        env.execute();
    }

    private static KafkaSource<String> createSource(String topic) {
        return KafkaSource.<String>builder()
                .setBootstrapServers(BROKERS)
                .setTopics(topic)
                .setGroupId("copy")
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setBounded(OffsetsInitializer.latest())
                .setValueOnlyDeserializer(new SimpleStringSchema())
                .setProperty("isolation.level", "read_committed")
                .build();
    }

    private static KafkaSink<String> createSink(String topic) {
        Properties properties = new Properties();
        properties.setProperty("transaction.timeout.ms", "900000");
        properties.put("compression.type", "lz4");
        return KafkaSink.<String>builder()
                .setBootstrapServers(BROKERS)
                .setKafkaProducerConfig(properties)
                .setRecordSerializer(
                        KafkaRecordSerializationSchema.builder()
                                .setTopic(topic)
                                .setValueSerializationSchema(new SimpleStringSchema())
                                .build())
                .setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE)
                .build();
    }
}
