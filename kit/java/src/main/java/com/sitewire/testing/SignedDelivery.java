package com.sitewire.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sitewire.SiteReady;
import com.sitewire.Sitewire;
import java.net.URI;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A delivery without the headers of Standard Webhooks.
 *
 * @param body the bytes that are signed
 * @param headers each with one value
 */
public record SignedDelivery(byte[] body, Map<String, List<String>> headers) {
    private static final String ID = "019aa000-0000-7000-8000-000000000000";

    /**
     * Returns an event with fictional content.
     *
     * @return a new event
     */
    public static SiteReady siteReady() {
        return new SiteReady(
                "site.ready",
                "acme",
                "user-4711",
                "https://bakery.example/",
                "https://bakery.example/console/",
                "Bakery",
                "owner@bakery.example",
                "2026-03-01T12:00:00+00:00",
                ID);
    }

    /**
     * Signs the delivery of an event.
     *
     * @param event the content, and the id of the delivery, or an empty text for that of {@link #siteReady}
     * @param secret the channel's signing secret
     * @return the delivery
     */
    public static SignedDelivery of(SiteReady event, String secret) {
        return of(json(event).getBytes(UTF_8), secret, event.delivery().isEmpty() ? ID : event.delivery());
    }

    /**
     * Signs any body, for instance one that is not JSON.
     *
     * @param body the bytes to sign
     * @param secret the channel's signing secret
     * @param id the id of the delivery
     * @return the delivery
     */
    public static SignedDelivery of(byte[] body, String secret, String id) {
        return new SignedDelivery(
                body,
                Map.of(
                        "Content-Type", List.of("application/json"),
                        "X-Sitewire-Signature", List.of("sha256=" + HexFormat.of().formatHex(hmac(secret, body))),
                        "X-Sitewire-Delivery", List.of(id),
                        "X-Sitewire-Attempt", List.of("1")));
    }

    /**
     * Makes the request that delivers this.
     *
     * @param receiver the URL of the receiver
     * @return for an {@link java.net.http.HttpClient}
     */
    public HttpRequest request(URI receiver) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(receiver).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        headers.forEach((name, values) -> values.forEach(value -> request.header(name, value)));
        return request.build();
    }

    private static String json(SiteReady event) {
        return Stream.of(
                        field("event", event.event()),
                        field("channel", event.channel()),
                        field("reference", event.reference()),
                        field("site_url", event.siteUrl()),
                        field("console_url", event.consoleUrl()),
                        field("name", event.name()),
                        field("email", event.email()),
                        field("created_at", event.createdAt()))
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String field(String name, String text) {
        StringBuilder result = new StringBuilder("\"" + name + "\":\"");
        for (char character : text.toCharArray()) {
            if (character < ' ' || character == '"' || character == '\\') {
                result.append(String.format("\\u%04x", (int) character));
            } else {
                result.append(character);
            }
        }
        return result.append('"').toString();
    }

    private static byte[] hmac(String secret, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Sitewire.secretKey(secret), "HmacSHA256"));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java has no HmacSHA256. Use one that conforms to Java SE.", e);
        }
    }
}
