package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sitewire.testing.SignedDelivery;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each property is tried with these random numbers, which a message names. */
class PropertiesTest {
    private static final int SEEDS = 2000;
    private static final String SECRET = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

    /** Returns null if the delivery is accepted. */
    private static Fault fault(byte[] body, Map<String, List<String>> headers, String... secrets) {
        try {
            Sitewire.constructEvent(body, headers, List.of(secrets), Options.DEFAULT);
            return null;
        } catch (WebhookException e) {
            return e.fault();
        }
    }

    private static Fault faultOfSource(Map<String, List<String>> headers) {
        try {
            Sitewire.verifySourceRequest("GET", "https://x.example/", headers, List.of(SECRET), Options.DEFAULT);
            return null;
        } catch (WebhookException e) {
            return e.fault();
        }
    }

    private static SignedDelivery sign(byte[] body) {
        return SignedDelivery.of(body, SECRET, "d1");
    }

    @Test
    void whateverIsSignedIsNoMismatchUntilABitFlips() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            byte[] body = new byte[1 + random.nextInt(200)];
            random.nextBytes(body);
            SignedDelivery delivery = sign(body);
            byte[] flipped = body.clone();
            flipped[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
            String message = "seed " + seed;
            // Random bytes are no site.ready, which is judged after the signature.
            assertEquals(Fault.INVALID_BODY, fault(body, delivery.headers(), "another", SECRET), message);
            assertEquals(Fault.MISMATCH, fault(flipped, delivery.headers(), SECRET), message);
            assertEquals(Fault.MISMATCH, fault(body, delivery.headers(), "another"), message);
        }
    }

    @Test
    void anyEventSurvivesTheDelivery() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            String[] texts = Stream.generate(() -> text(random)).limit(7).toArray(String[]::new);
            SiteReady event = new SiteReady(
                    "site.ready", texts[0], texts[1], texts[2], texts[3], texts[4], texts[5], texts[6], "d" + seed);
            SignedDelivery delivery = SignedDelivery.of(event, SECRET);
            assertEquals(
                    event,
                    Sitewire.constructEvent(delivery.body(), delivery.headers(), List.of(SECRET), Options.DEFAULT),
                    "seed " + seed);
        }
    }

    /** Any characters but surrogates, which UTF-8 does not have. */
    private static String text(Random random) {
        int[] points = random.ints(random.nextInt(20), 0, random.nextBoolean() ? 128 : 0x11000)
                .map(point -> point >= 0xd800 && point < 0xe000 ? '"' : point)
                .toArray();
        return new String(points, 0, points.length);
    }

    @Test
    void randomHeadersAreRejectedAndNothingElse() {
        String[] parts = {
            "", " ", ".", ",", "v1,", "v1a,", "sha256=", "1772366400", "9", "\n", "\0", "\uffff", "A=", "é"
        };
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Map<String, List<String>> headers = new HashMap<>();
            headers.put(null, List.of("HTTP/1.1 200 OK"));
            for (String name :
                    List.of("x-sitewire-signature", "Webhook-ID", "webhook-timestamp", "webhook-signature")) {
                Stream<String> values = Stream.generate(() -> random.ints(random.nextInt(5), 0, parts.length)
                        .mapToObj(i -> parts[i])
                        .reduce("", String::concat));
                headers.put(name, values.limit(random.nextInt(3)).toList());
            }
            if (random.nextBoolean()) {
                headers.put("webhook-timestamp", List.of(Long.toString(Instant.now().getEpochSecond())));
            }
            for (Fault fault : Arrays.asList(fault(new byte[0], headers, SECRET), faultOfSource(headers))) {
                assertTrue(fault != null && fault != Fault.INVALID_BODY, "seed " + seed + ": " + fault);
            }
        }
    }

    @Test
    void hostileInputIsRejected() {
        int megabytes = 5 << 20;
        for (String text : List.of(
                "\0".repeat(megabytes),
                "[".repeat(megabytes),
                "{\"a\":".repeat(megabytes / 5),
                "9".repeat(megabytes))) {
            byte[] body = text.getBytes(UTF_8);
            assertEquals(Fault.INVALID_BODY, fault(body, sign(body).headers(), SECRET));
        }
        SignedDelivery genuine = SignedDelivery.of(SignedDelivery.siteReady(), SECRET);
        for (String value : List.of(
                "v1,x ".repeat(megabytes / 5) + "v1,x",
                "v1," + "x".repeat(megabytes),
                "v" + "1".repeat(megabytes) + ",x",
                " ".repeat(megabytes))) {
            Map<String, List<String>> headers = new HashMap<>(genuine.headers());
            headers.put("webhook-id", List.of("7_1"));
            headers.put("webhook-timestamp", List.of(Long.toString(Instant.now().getEpochSecond())));
            headers.put("webhook-signature", List.of(value));
            headers.put("X-Sitewire-Signature", List.of(value));
            for (Fault fault : List.of(fault(genuine.body(), headers, SECRET), faultOfSource(headers))) {
                assertTrue(fault == Fault.MALFORMED || fault == Fault.MISMATCH, () -> "fault " + fault);
            }
        }
    }
}
