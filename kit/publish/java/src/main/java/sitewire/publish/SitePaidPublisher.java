package sitewire.publish;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Publishes site.paid with the event's id as the key, acks=all and idempotence. One for a process is enough, and
 * threads can share it.
 */
public final class SitePaidPublisher implements AutoCloseable {
    private static final int TIMEOUT_MS = 40_000;

    private final Producer<String, String> producer;
    private final String topic;

    /**
     * Publishes to the topic {@code site.paid}, of an installation without TOPIC_PREFIX.
     *
     * @param config as for the other constructor
     */
    public SitePaidPublisher(Map<String, ?> config) {
        this(config, "site.paid");
    }

    /**
     * Starts a producer, which connects in the background.
     *
     * @param config settings of Kafka's producer, such as {@code bootstrap.servers} and the login. Settings that
     *     this class needs, such as {@code acks}, replace yours
     * @param topic the TOPIC_PREFIX of the installation and {@code site.paid}
     * @throws KafkaException if a setting is invalid
     */
    public SitePaidPublisher(Map<String, ?> config, String topic) {
        this(new KafkaProducer<>(complete(config), new StringSerializer(), new StringSerializer()), topic);
    }

    SitePaidPublisher(Producer<String, String> producer, String topic) {
        this.producer = producer;
        this.topic = topic;
    }

    static Map<String, Object> complete(Map<String, ?> config) {
        Map<String, Object> complete = new HashMap<>();
        complete.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, TIMEOUT_MS);
        complete.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, TIMEOUT_MS);
        complete.putAll(config);
        complete.put(ProducerConfig.ACKS_CONFIG, "all");
        complete.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        complete.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "none");
        // Kafka's own partitioner: an event has the same partition in every language.
        complete.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        complete.put(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, false);
        return complete;
    }

    /**
     * Publishes an event without headers, as the other method does.
     *
     * @param event the event
     * @return where the record is stored
     */
    public RecordMetadata publish(SitePaid event) {
        return publish(event, RecordHeaders.NONE);
    }

    /**
     * Returns when all in-sync replicas have stored the event.
     *
     * @param event the event
     * @param headers the record's headers
     * @return where the record is stored
     * @throws InvalidSitePaidException if a header breaks a rule; nothing was sent
     * @throws KafkaException without an acknowledgement after 40 s ({@code delivery.timeout.ms}, {@code
     *     max.block.ms}) or if the thread is interrupted. The event may be stored all the same: publish the same
     *     event again, because a second one with the same id is ignored
     */
    public RecordMetadata publish(SitePaid event, RecordHeaders headers) {
        Map<String, String> given = new HashMap<>();
        given.put("correlation", headers.correlation());
        given.put("traceparent", headers.traceparent());
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, event.id(), toJson(event.values));
        Rules.HEADERS
                .check(given)
                .forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.US_ASCII)));
        try {
            return producer.send(record).get();
        } catch (ExecutionException failure) {
            throw new KafkaException(
                    "no acknowledgement of site.paid, publish the same event again: "
                            + failure.getCause().getMessage(),
                    failure.getCause());
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted: publish the same event again", interruption);
        }
    }

    private static String toJson(Map<String, String> values) {
        return values.entrySet().stream()
                .map(entry -> quote(entry.getKey()) + ":" + quote(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char one : text.toCharArray()) {
            if (one == '"' || one == '\\') {
                quoted.append('\\').append(one);
            } else if (one < ' ') {
                quoted.append(String.format("\\u%04x", (int) one));
            } else {
                quoted.append(one);
            }
        }
        return quoted.append('"').toString();
    }

    /** Waits for events that other threads are publishing, and disconnects. */
    @Override
    public void close() {
        producer.close();
    }
}
