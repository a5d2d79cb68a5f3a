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
        assertThrows(IllegalArgumentException.class, () -> Options.DEFAULT.withHeader(""));
        assertThrows(
                IllegalArgumentException.class, () -> Options.DEFAULT.withTolerance(Duration.ofSeconds(-1)));
    }

    /** The message is for a log, which must not have secrets or the content of requests. */
    @Test
    void messagesSayWhatToDoAndHaveNoContent() {
        String paid = new String(GENUINE.body()).replace("site.ready", "site.paid");
        SignedDelivery other = SignedDelivery.of(paid.getBytes(), SECRET, "d1");
        SignedDelivery forged = SignedDelivery.of(GENUINE.body(), "forged", "d1");
        for (SignedDelivery delivery : List.of(other, forged)) {
            String message = rejection(delivery, delivery.headers(), Options.DEFAULT).getMessage();
            assertTrue(message.contains("Respond 40"), message);
            assertFalse(message.contains(SECRET) || message.contains("site.paid"), message);
            assertFalse(message.contains(delivery.headers().get("X-Sitewire-Signature").get(0)), message);
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

    /** Headers of a request to a source, with a signature that nobody made. */
    private static final Map<String, List<String>> SOURCE = Map.of(
            "webhook-id", List.of("7_1"),
            "webhook-timestamp", List.of("1772366400"),
            "webhook-signature", List.of("v1,x"));

    private static Fault faultOfSource(Map<String, List<String>> headers, long seconds) {
        Options options = Options.DEFAULT
                .withTolerance(Duration.ofSeconds(10))
                .withClock(Clock.fixed(Instant.ofEpochSecond(1_772_366_400 + seconds), ZoneOffset.UTC));
        return assertThrows(
                        WebhookException.class,
                        () -> Sitewire.verifySourceRequest("GET", "u", headers, List.of(SECRET), options))
                .fault();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Sitewire-Signature", "webhook-id", "webhook-timestamp", "webhook-signature"})
    void aRepeatedHeaderIsMalformed(String name) {
        boolean ofDelivery = name.startsWith("X-");
        Map<String, List<String>> headers = ofDelivery ? GENUINE.headers() : SOURCE;
        String value = headers.get(name).get(0);
        Map<String, List<String>> twice = new HashMap<>(headers);
        twice.put(name, List.of(value, value));
        Map<String, List<String>> inTwoCases = new HashMap<>(headers);
        inTwoCases.put(name.toUpperCase(), List.of(value));
        inTwoCases.put(name.toLowerCase(), List.of(value));
        for (Map<String, List<String>> repeated : List.of(twice, inTwoCases)) {
            Fault fault = ofDelivery
                    ? rejection(GENUINE, repeated, Options.DEFAULT).fault()
                    : faultOfSource(repeated, 0);
            assertEquals(Fault.MALFORMED, fault);
        }
    }

    /** Within the tolerance, the signature is looked at, which nobody made. */
    @ParameterizedTest
    @CsvSource({"10,MISMATCH", "11,OUTDATED", "-10,MISMATCH", "-11,OUTDATED"})
    void theToleranceIsAnOption(long seconds, Fault expected) {
        assertEquals(expected, faultOfSource(SOURCE, seconds));
    }
}
