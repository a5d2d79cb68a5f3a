package com.sitewire;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One of the test vectors that all languages have in common. */
record Vector(Map<?, ?> fields) {
    static List<Vector> read(String file) throws Exception {
        Path path = Path.of("../vectors", file);
        if (!Files.exists(path)) {
            System.out.println("SKIPPED: the vectors " + path + " are not there");
        }
        assumeTrue(Files.exists(path), () -> "the vectors " + path + " are not there");
        List<Vector> vectors = parse(path).stream().map(one -> new Vector((Map<?, ?>) one)).toList();
        assertFalse(vectors.isEmpty(), () -> path + " is empty");
        return vectors;
    }

    private static List<?> parse(Path path) throws IOException, Json.InvalidException {
        return (List<?>) Json.parse(Files.readAllBytes(path));
    }

    String text(String name) {
        return (String) fields.get(name);
    }

    byte[] body() {
        return Base64.getDecoder().decode(text("body"));
    }

    List<String> secrets() {
        return ((List<?>) fields.get("secrets")).stream().map(String.class::cast).toList();
    }

    Map<String, List<String>> headers() {
        Map<String, List<String>> headers = new HashMap<>();
        ((Map<?, ?>) fields.get("headers"))
                .forEach((name, value) -> headers.put((String) name, List.of((String) value)));
        return headers;
    }

    Options options() {
        Instant now = Instant.ofEpochSecond(((Double) fields.get("now")).longValue());
        return Options.DEFAULT.withClock(Clock.fixed(now, ZoneOffset.UTC));
    }

    SiteReady event() {
        if (!(fields.get("event") instanceof Map<?, ?> event)) {
            return null;
        }
        return new SiteReady(
                (String) event.get("event"),
                (String) event.get("channel"),
                (String) event.get("reference"),
                (String) event.get("site_url"),
                (String) event.get("console_url"),
                (String) event.get("name"),
                (String) event.get("email"),
                (String) event.get("created_at"),
                Signatures.deliveryId(headers(), options()));
    }
}
