package shop;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.commons.lang3.ObjectUtils;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.PrintSink;
import org.apache.flink.util.Collector;
import org.apache.flink.util.Preconditions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Shipments that are read from JSON, counted and printed. */
public class Shipments {

    private static final Gson PLAIN = new GsonBuilder().disableHtmlEscaping().create();

    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        try (InputStream stream = Shipments.class.getClassLoader().getResourceAsStream("shop.properties")) {
            settings.load(stream);
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        GeneratorFunction<Long, String> text = index -> describe("parcel", index.intValue());
        DataStream<String> lines =
                env.fromSource(new DataGeneratorSource<>(text, 5, Types.STRING), WatermarkStrategy.noWatermarks(), "lines");
        count(lines.flatMap(new Reader()), counts -> counts.sinkTo(new PrintSink<>("counts")));
        env.execute(describe("shipments"));
    }

    static String describe(String what) {
        return describe(what, 1);
    }

    static String describe(String what, int number) {
        return String.format(String.join("", "{\"to\": \"%s\", ", "\"weight\": %d}"), what, number);
    }

    static void count(DataStream<Shipment> shipments, Consumer<DataStream<Tuple2<String, Integer>>> printing) {
        printing.accept(
                shipments
                        .map(shipment -> Tuple2.of(shipment.label(), 1), Types.TUPLE(Types.STRING, Types.INT))
                        .keyBy(pair -> pair.f0)
                        .countWindow(4, 2)
                        .sum(1));
        shipments.map(shipment -> PLAIN.toJson(shipment)).print();
    }

    public static class Origins implements KafkaRecordDeserializationSchema<String> {
        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {
            Header origin = record.headers().lastHeader("origin");
            if (origin != null) {
                out.collect(new String(origin.value(), StandardCharsets.UTF_8) + " at " + record.timestampType());
            }
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }

    public static class Total {
        private String to;
        private Duration way;

        public Total() {}

        public Total(Shipment shipment) {
            this.to = shipment.getTo();
            this.way = Duration.between(shipment.sent, shipment.seen);
        }

        public Duration getWay() {
            return way;
        }

        public String getTo() {
            return to;
        }

        public Total plus(Total other) {
            Preconditions.checkNotNull(other);
            Preconditions.checkArgument(to.equals(other.getTo()), "another place");
            Total sum = new Total();
            sum.to = to;
            sum.way = way.compareTo(Duration.ofHours(1)) > 0 ? way : way.plus(other.getWay());
            return sum;
        }
    }

    public static class Reader implements FlatMapFunction<String, Shipment> {
        private static final ObjectMapper MAPPER = JsonMapper.builder().build().registerModule(new JavaTimeModule());

        @Override
        public void flatMap(String text, Collector<Shipment> out) {
            try {
                out.collect(MAPPER.readValue(text, Shipment.class));
            } catch (IOException error) {
                System.out.println("not a shipment: " + text);
            }
        }
    }

    public static class Shipment {
        public String to;
        public Integer weight;
        public Instant sent;
        public Instant seen;

        public Shipment() {}

        @JsonCreator
        public Shipment(
                @JsonProperty(value = "to", required = true) final String to,
                @JsonProperty("weight") final Integer weight,
                @JsonProperty("sent") final Instant sent,
                @JsonProperty("seen") final Instant seen) {
            this.to = to;
            this.weight = weight;
            this.sent = sent;
            this.seen = seen;
        }

        public String getTo() {
            return to;
        }

        public Instant getSent() {
            return sent;
        }

        public Instant first() {
            return ObjectUtils.min(getSent(), seen);
        }

        public String label() {
            return getTo() + ": " + weight + " kg, " + first();
        }
    }
}
