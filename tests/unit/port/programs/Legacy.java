import java.util.Properties;

import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.TimeCharacteristic;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.timestamps.BoundedOutOfOrdernessTimestampExtractor;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;

/** Flink's API before version 1.14. */
public class Legacy {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setStreamTimeCharacteristic(TimeCharacteristic.EventTime);
        Properties props = new Properties();
        props.setProperty("bootstrap.servers", "localhost:9092");

        env.addSource(new FlinkKafkaConsumer<>("in", new SimpleStringSchema(), props))
                .map(line -> {
                    String[] parts = line.split(",");
                    return new Tuple3<>(parts[0], Long.parseLong(parts[1]), 1);
                })
                .assignTimestampsAndWatermarks(new BoundedOutOfOrdernessTimestampExtractor<Tuple3<String, Long, Integer>>(Time.seconds(5)) {
                    @Override
                    public long extractTimestamp(Tuple3<String, Long, Integer> element) {
                        return element.f1;
                    }
                })
                .keyBy(0)
                .timeWindow(Time.minutes(1))
                .sum(2)
                .map(Object::toString)
                .addSink(new FlinkKafkaProducer<>("out", new SimpleStringSchema(), props));
        env.execute("legacy");
    }
}
