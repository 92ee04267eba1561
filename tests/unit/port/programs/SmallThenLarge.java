import java.io.Serializable;
import java.util.Objects;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Finds a large payment that follows a small one. */
public class SmallThenLarge {
    static final OutputTag<String> BROKEN = new OutputTag<String>("broken") {};

    /** Payment of an account. */
    public static class Payment implements Serializable {
        private String account;
        private double amount;
        private long paidAt;

        public Payment() {}

        public Payment(String account, double amount, long paidAt) {
            this.account = account;
            this.amount = amount;
            this.paidAt = paidAt;
        }

        public String getAccount() {
            return account;
        }

        public void setAccount(String account) {
            this.account = account;
        }

        public double getAmount() {
            return amount;
        }

        public void setAmount(double amount) {
            this.amount = amount;
        }

        public long getPaidAt() {
            return paidAt;
        }

        public boolean isSmall() {
            return amount < 1;
        }

        @Override
        public boolean equals(Object o) {
            if (this == o) return true;
            if (!(o instanceof Payment)) return false;
            Payment other = (Payment) o;
            return account.equals(other.account) && amount == other.amount;
        }

        @Override
        public int hashCode() {
            return Objects.hash(account, amount);
        }

        @Override
        public String toString() {
            return "Payment{" + "account='" + account + '\'' + ", amount=" + amount + '}';
        }
    }

    /** Remembers for a minute that the last payment was a small one. */
    public static class Detector extends KeyedProcessFunction<String, Payment, String> {
        private static final long serialVersionUID = 1L;
        private static final long MINUTE = 60 * 1000;

        private final double large;
        private transient ValueState<Boolean> flag;
        private transient ValueState<Long> timer;
        private transient Counter alerts;

        public Detector(double large) {
            this.large = large;
        }

        @Override
        public void open(OpenContext context) throws Exception {
            flag = getRuntimeContext().getState(new ValueStateDescriptor<>("flag", Types.BOOLEAN));
            timer = getRuntimeContext().getState(new ValueStateDescriptor<>("timer", Long.class));
            alerts = getRuntimeContext().getMetricGroup().counter("alerts");
        }

        @Override
        public void processElement(Payment payment, Context ctx, Collector<String> out) throws Exception {
            if (payment.getAmount() < 0) {
                ctx.output(BROKEN, payment.getAccount());
                return;
            }
            if (flag.value() != null) {
                if (payment.getAmount() > large) {
                    alerts.inc();
                    out.collect(String.format("%s: %.2f", ctx.getCurrentKey(), payment.getAmount()));
                }
                cleanUp(ctx);
            }
            if (payment.isSmall()) {
                flag.update(true);
                long at = ctx.timerService().currentProcessingTime() + MINUTE;
                ctx.timerService().registerProcessingTimeTimer(at);
                timer.update(at);
            }
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext ctx, Collector<String> out) {
            timer.clear();
            flag.clear();
        }

        private void cleanUp(Context ctx) throws Exception {
            Long at = timer.value();
            if (at != null) {
                ctx.timerService().deleteProcessingTimeTimer(at);
            }
            timer.clear();
            flag.clear();
        }
    }

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        DataStream<Payment> payments = env.fromElements(
                new Payment("ann", 0.5, 1000L),
                new Payment("ben", 700, 2000L),
                new Payment("ann", 612.25, 3000L),
                new Payment("cid", -1, 4000L));
        SingleOutputStreamOperator<String> alerts = payments
                .keyBy(Payment::getAccount)
                .process(new Detector(500.0))
                .name("detector");
        alerts.print("alert");
        alerts.getSideOutput(BROKEN).print("broken");
        env.execute("small then large");
    }
}
