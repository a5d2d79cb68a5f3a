package sitewire.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import example.Quickstart;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

class SitePaidPublisherTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Vector(String name, Map<String, Object> event, Map<String, String> headers, String field) {
        RecordHeaders recordHeaders() {
            return headers == null
                    ? RecordHeaders.NONE
                    : new RecordHeaders(headers.get("correlation"), headers.get("traceparent"));
        }
    }

    private static Stream<Vector> vectors() throws IOException {
        List<Vector> vectors =
                JSON.readValue(new File("../../vectors/site-paid.json"), new TypeReference<List<Vector>>() {});
        return vectors.stream();
    }

    private static MockProducer<String, String> mock() {
        return new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
    }

    @TestFactory
    Stream<DynamicTest> everyMistakeIsRefusedBeforeTheBroker() throws IOException {
        return vectors().filter(vector -> vector.field != null).map(vector -> dynamicTest(vector.name, () -> {
            MockProducer<String, String> producer = mock();
            InvalidSitePaidException refusal = assertThrows(InvalidSitePaidException.class, () -> {
                new SitePaidPublisher(producer, "site.paid")
                        .publish(SitePaid.of(vector.event), vector.recordHeaders());
            });
            assertEquals(vector.field, refusal.field());
            String form = "site.paid was not published: " + vector.field + " [^.]+\\. [A-Z].+\\.";
            assertTrue(refusal.getMessage().matches(form), refusal.getMessage());
            assertFalse(refusal.getMessage().contains("s3cret"));
            assertEquals(List.of(), producer.history());
        }));
    }

    @TestFactory
    Stream<DynamicTest> everyValidEventHasItsKeyValueAndHeaders() throws IOException {
        return vectors().filter(vector -> vector.field == null).map(vector -> dynamicTest(vector.name, () -> {
            MockProducer<String, String> producer = mock();
            new SitePaidPublisher(producer, "site.paid").publish(SitePaid.of(vector.event), vector.recordHeaders());
            // Partners in Java parse it.
            assertTrue(URI.create((String) vector.event.get("site_url")).isAbsolute());
            assertEquals(1, producer.history().size());
            ProducerRecord<String, String> record = producer.history().get(0);
            assertEquals("site.paid", record.topic());
            assertEquals(vector.event.get("id"), record.key());
            Map<String, Object> fields = new HashMap<>(vector.event);
            fields.remove("price");
            assertEquals(fields, JSON.readValue(record.value(), Map.class));
            Map<String, String> headers = new HashMap<>();
            record.headers()
                    .forEach(one -> headers.put(one.key(), new String(one.value(), StandardCharsets.US_ASCII)));
            assertEquals(vector.headers == null ? Map.of() : vector.headers, headers);
        }));
    }

    @Test
    void theBuilderSetsEachFieldAndChecksThem() throws IOException {
        Map<String, Object> event = vectors().findFirst().orElseThrow().event;
        SitePaid.Builder builder = SitePaid.builder()
                .id((String) event.get("id"))
                .channel((String) event.get("channel"))
                .reference((String) event.get("reference"))
                .siteUrl((String) event.get("site_url"))
                .consoleUrl((String) event.get("console_url"))
                .name((String) event.get("name"))
                .email((String) event.get("email"));
        assertThrows(InvalidSitePaidException.class, builder::build);
        assertEquals(event, builder.createdAt((String) event.get("created_at")).build().values);
    }

    @Test
    void halfOfASurrogatePairIsRefused() throws IOException {
        Map<String, Object> event = new HashMap<>(vectors().findFirst().orElseThrow().event);
        event.put("name", "\ud83e");
        InvalidSitePaidException refusal =
                assertThrows(InvalidSitePaidException.class, () -> SitePaid.of(event));
        assertEquals("name", refusal.field());
    }

    @Test
    void acksIdempotenceAndCompressionCannotBeChanged() {
        Map<String, Object> config = SitePaidPublisher.complete(
                Map.of("acks", "1", "enable.idempotence", "false", "compression.type", "zstd", "client.id", "own"));
        assertEquals("all", config.get("acks"));
        assertEquals(true, config.get("enable.idempotence"));
        assertEquals("none", config.get("compression.type"));
        assertEquals("own", config.get("client.id"));
    }

    @Test
    void anEventWithoutAcknowledgementIsAnError() throws IOException {
        SitePaid event = SitePaid.of(vectors().findFirst().orElseThrow().event);
        Map<String, Object> nowhere = Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100);
        try (SitePaidPublisher publisher = new SitePaidPublisher(nowhere)) {
            assertThrows(KafkaException.class, () -> publisher.publish(event));
        }
    }

    @Test
    @EnabledIfEnvironmentVariable(named = "KAFKA_BROKERS", matches = ".+")
    void theRealBrokerStoresEveryValidEvent() throws IOException {
        Quickstart.main(new String[0]);
        Map<String, String> config = Map.of("bootstrap.servers", System.getenv("KAFKA_BROKERS"));
        String topic = System.getenv().getOrDefault("TOPIC_PREFIX", "") + "site.paid";
        List<Vector> valid = vectors().filter(vector -> vector.field == null).toList();
        Set<String> stored = new HashSet<>();
        try (SitePaidPublisher publisher = new SitePaidPublisher(config, topic)) {
            for (Vector vector : valid) {
                RecordMetadata where = publisher.publish(SitePaid.of(vector.event), vector.recordHeaders());
                stored.add(where.toString());
            }
        }
        assertEquals(valid.size(), stored.size());
    }
}
