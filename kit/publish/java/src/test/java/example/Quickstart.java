package example;

import java.util.Map;
import sitewire.publish.SitePaid;
import sitewire.publish.SitePaidPublisher;

public final class Quickstart {
    public static void main(String[] args) {
        Map<String, String> config = Map.of("bootstrap.servers", System.getenv("KAFKA_BROKERS"));
        String topic = System.getenv().getOrDefault("TOPIC_PREFIX", "") + "site.paid";
        try (SitePaidPublisher publisher = new SitePaidPublisher(config, topic)) {
            SitePaid event = SitePaid.builder()
                    .id("order-10042")
                    .channel("acme")
                    .reference("user-4711")
                    .siteUrl("https://bakery.example")
                    .consoleUrl("https://console.example/bakery")
                    .name("Bakery")
                    .email("owner@bakery.example")
                    .createdAt("2026-03-01T12:00:00+01:00")
                    .build();
            System.out.println(event.id() + " is stored: " + publisher.publish(event));
        }
    }
}
