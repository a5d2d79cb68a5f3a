package com.sitewire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sitewire.testing.SignedDelivery;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SitewireTest {
    private static final String SECRET = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
    private static final SignedDelivery GENUINE = SignedDelivery.of(SignedDelivery.siteReady(), SECRET);

    private static WebhookException rejection(
            SignedDelivery delivery, Map<String, List<String>> headers, Options options) {
        return assertThrows(
                WebhookException.class,
                () -> Sitewire.constructEvent(delivery.body(), headers, List.of(SECRET), options));
    }

    @Test
    void theEventHasTheIdOfItsDelivery() throws Exception {
        byte[] body = GENUINE.body();
        List<String> signature = GENUINE.headers().get("X-Sitewire-Signature");
        Map<String, List<String>> headers = new HashMap<>(GENUINE.headers());
        headers.put("X-Sitewire-Delivery", List.of("d2"));
        headers.put("X-Shop-Signature", signature);
        headers.put("X-Shop-Delivery", List.of("d3"));
        headers.put("X-Proof", signature);
        assertEquals("d2", deliveryOf(body, headers, Options.DEFAULT));
        String signed = GENUINE.headers().get("webhook-id").get(0);
        assertEquals(signed, deliveryOf(body, headers, Options.DEFAULT.withScheme(Scheme.STANDARD_WEBHOOKS)));
        assertEquals("d3", deliveryOf(body, headers, Options.DEFAULT.withHeader("x-shop-signature")));
        assertEquals("", deliveryOf(body, headers, Options.DEFAULT.withHeader("X-Proof")));
        headers.put("X-Sitewire-Delivery", List.of("d2", "d2"));
        assertEquals("", deliveryOf(body, headers, Options.DEFAULT));
        headers.remove("X-Sitewire-Delivery");
        assertEquals("", deliveryOf(body, headers, Options.DEFAULT));
    }

    private static String deliveryOf(byte[] body, Map<String, List<String>> headers, Options options) throws Exception {
        return Sitewire.constructEvent(body, headers, List.of(SECRET), options).delivery();
    }

    @Test
    void faultsOfTheReceiverAreNotThoseOfTheSender() {
        for (List<String> secrets : Arrays.asList(
                null, List.<String>of(), List.of(""), List.of(SECRET, ""), Collections.<String>singletonList(null))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Sitewire.constructEvent(GENUINE.body(), GENUINE.headers(), secrets, Options.DEFAULT));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Sitewire.verifySourceRequest("GET", "u", GENUINE.headers(), secrets, Options.DEFAULT));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Sitewire.constructEvent(null, GENUINE.headers(), List.of(SECRET), Options.DEFAULT));
        assertThrows(IllegalArgumentException.class, () -> Scheme.of("svix"));
        assertThrows(IllegalArgumentException.class, () -> Options.DEFAULT.withHeader(""));
        assertThrows(
                IllegalArgumentException.class, () -> Options.DEFAULT.withTolerance(Duration.ofSeconds(-1)));
    }

    /** The message is for a log, which must not have secrets or the content of requests. */
    @Test
    void messagesSayWhatToDoAndHaveNoContent() {
        String paid = new String(GENUINE.body()).replace("site.ready", "site.paid");
        SignedDelivery other = SignedDelivery.of(paid.getBytes(), SECRET, "d1", Instant.now());
        SignedDelivery forged = SignedDelivery.of(GENUINE.body(), "forged", "a.b", Instant.now());
        for (SignedDelivery delivery : List.of(other, forged)) {
            for (Scheme scheme : Scheme.values()) {
                String message =
                        rejection(delivery, delivery.headers(), Options.DEFAULT.withScheme(scheme)).getMessage();
                assertTrue(message.contains("Respond 40"), message);
                assertFalse(message.contains(SECRET) || message.contains("site.paid"), message);
                delivery.headers().forEach((name, values) -> {
                    if (name.endsWith("ignature")) {
                        assertFalse(message.contains(values.get(0)), message);
                    }
                });
            }
        }
    }

    @Test
    void theHeaderCanHaveAnotherName() throws Exception {
        Options options = Options.DEFAULT.withHeader("X-Example-Signature");
        assertEquals(Fault.MISSING, rejection(GENUINE, GENUINE.headers(), options).fault());
        Map<String, List<String>> headers =
                Map.of(
                        "x-example-signature", GENUINE.headers().get("X-Sitewire-Signature"),
                        "x-example-delivery", GENUINE.headers().get("X-Sitewire-Delivery"));
        assertEquals(
                SignedDelivery.siteReady(),
                Sitewire.constructEvent(GENUINE.body(), headers, List.of(SECRET), options));
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Sitewire-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"})
    void aRepeatedHeaderIsMalformed(String name) {
        Scheme scheme = name.startsWith("X-") ? Scheme.SITEWIRE : Scheme.STANDARD_WEBHOOKS;
        String value = GENUINE.headers().get(name).get(0);
        Map<String, List<String>> twice = new HashMap<>(GENUINE.headers());
        twice.put(name, List.of(value, value));
        assertEquals(
                Fault.MALFORMED, rejection(GENUINE, twice, Options.DEFAULT.withScheme(scheme)).fault());
        Map<String, List<String>> inTwoCases = new HashMap<>(GENUINE.headers());
        inTwoCases.put(name.toUpperCase(), List.of(value));
        inTwoCases.put(name.toLowerCase(), List.of(value));
        assertEquals(
                Fault.MALFORMED, rejection(GENUINE, inTwoCases, Options.DEFAULT.withScheme(scheme)).fault());
    }

    @ParameterizedTest
    @CsvSource({"10,", "11,OUTDATED", "-10,", "-11,OUTDATED"})
    void theToleranceIsAnOption(long seconds, Fault expected) {
        Instant now = Instant.ofEpochSecond(1_772_366_400);
        SignedDelivery delivery = SignedDelivery.of(GENUINE.body(), SECRET, "d1", now);
        Options options = Options.DEFAULT
                .withScheme(Scheme.STANDARD_WEBHOOKS)
                .withTolerance(Duration.ofSeconds(10))
                .withClock(Clock.fixed(now.plusSeconds(seconds), ZoneOffset.UTC));
        Fault fault = null;
        try {
            Sitewire.constructEvent(delivery.body(), delivery.headers(), List.of(SECRET), options);
        } catch (WebhookException e) {
            fault = e.fault();
        }
        assertEquals(expected, fault);
    }
}
