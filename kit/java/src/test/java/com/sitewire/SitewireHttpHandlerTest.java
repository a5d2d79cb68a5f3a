package com.sitewire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sitewire.testing.SignedDelivery;
import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SitewireHttpHandlerTest {
    private static final String SECRET = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

    private final List<SiteReady> stored = new ArrayList<>();
    private volatile List<String> secrets = List.of("old", SECRET);
    private volatile Exception failure;
    private HttpServer server;
    private URI address;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", new SitewireHttpHandler(() -> secrets, event -> {
            if (failure != null) {
                throw failure;
            }
            stored.add(event);
        }, Options.DEFAULT, 1000));
        server.start();
        address = new URI("http", null, "127.0.0.1", server.getAddress().getPort(), "/", null, null);
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String post(SignedDelivery delivery) throws Exception {
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(delivery.request(address), HttpResponse.BodyHandlers.ofString());
        return (response.statusCode() + " " + response.body()).trim();
    }

    private static SignedDelivery signed(String body) {
        return SignedDelivery.of(body.getBytes(UTF_8), SECRET, "d1");
    }

    private static SignedDelivery genuine() {
        return SignedDelivery.of(SignedDelivery.siteReady(), SECRET);
    }

    @Test
    void storesAGenuineDelivery() throws Exception {
        assertEquals("204", post(genuine()));
        assertEquals(List.of(SignedDelivery.siteReady()), stored);
    }

    @Test
    void rejectsEverythingElse() throws Exception {
        SignedDelivery forged = SignedDelivery.of(SignedDelivery.siteReady(), "forged");
        assertEquals("401 {\"fault\":\"mismatch\"}", post(forged));
        assertEquals("400 {\"fault\":\"invalid-body\"}", post(signed("{}")));
        assertEquals(List.of(), stored);
    }

    @Test
    void limitsTheBody() throws Exception {
        String body = new String(genuine().body(), UTF_8);
        String atTheLimit = body + " ".repeat(1000 - body.length());
        assertEquals("204", post(signed(atTheLimit)));
        assertEquals("413", post(signed(atTheLimit + " ")));
        assertEquals(1, stored.size());
    }

    /** Neither a header without a value nor a repeated one is an error of the server. */
    @Test
    void rejectsUnusualHeaders() throws Exception {
        assertTrue(raw("X-Sitewire-Signature:\r\n").startsWith("HTTP/1.1 401"));
        assertTrue(raw("").endsWith("{\"fault\":\"missing\"}"));
        assertTrue(raw("X-Sitewire-Signature:a\r\nx-sitewire-signature:b\r\n").endsWith("{\"fault\":\"malformed\"}"));
    }

    private String raw(String headers) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.getAddress().getPort())) {
            String request = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n";
            socket.getOutputStream().write((request + headers + "\r\n").getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    /** So does the servlet, which the example for Spring runs. */
    @Test
    void returnsTheChallengeOfANewAddressIfTheDeliveryIsGenuine() throws Exception {
        Options renamed = Options.DEFAULT.withHeader("X-Shop-Signature");
        for (Options options : List.of(Options.DEFAULT, renamed)) {
            String name = options == renamed ? "X-Shop-Challenge" : "X-Sitewire-Challenge";
            assertEquals(Map.of(name, "Ab_9-"), challenge(options, name, "Ab_9-", SECRET));
            assertEquals(Map.of(), challenge(options, name, "a, b", SECRET));
            assertEquals(Map.of(), challenge(options, name, "Ab_9-", "forged"));
        }
        HttpRequest request = HttpRequest.newBuilder(genuine().request(address), (name, value) -> true)
                .header("X-Sitewire-Challenge", "Ab_9-")
                .build();
        HttpHeaders returned =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).headers();
        assertEquals("Ab_9-", returned.firstValue("X-Sitewire-Challenge").orElse(""));
    }

    private Map<String, String> challenge(Options options, String name, String value, String secret) throws Exception {
        SignedDelivery delivery = SignedDelivery.of(SignedDelivery.siteReady(), secret);
        Map<String, List<String>> headers = new HashMap<>(delivery.headers());
        headers.put("X-Shop-Signature", headers.get("X-Sitewire-Signature"));
        headers.put(name, List.of(value));
        return new Receiver(() -> secrets, stored::add, options, 1000).respond(delivery.body(), headers).headers();
    }

    /** The limit holds for a body whose length is not announced, and its end is not awaited. */
    @Test
    void stopsReadingAtTheLimit() throws Exception {
        Receiver receiver = new Receiver(() -> secrets, stored::add, Options.DEFAULT, 1000);
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return ' ';
            }
        };
        byte[] body = receiver.read(endless);
        assertEquals(1001, body.length);
        assertEquals(413, receiver.respond(body, genuine().headers()).status());
    }

    @Test
    void readsSecretsForEachDelivery() throws Exception {
        secrets = List.of("new");
        assertEquals("401 {\"fault\":\"mismatch\"}", post(genuine()));
        assertEquals("204", post(SignedDelivery.of(SignedDelivery.siteReady(), "new")));
    }

    /** A failure of the receiver, even if it looks like a fault of the sender, is a 500, and the log has it. */
    @Test
    void reportsFailuresOfTheReceiver() throws Exception {
        Queue<Throwable> logged = new ConcurrentLinkedQueue<>();
        Handler collector = new Handler() {
            @Override
            public void publish(LogRecord record) {
                logged.add(record.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("com.sitewire");
        logger.addHandler(collector);
        logger.setUseParentHandlers(false);
        try {
            for (Exception one : List.of(new Exception("the database is down"), WebhookException.mismatch())) {
                failure = one;
                assertEquals("500", post(genuine()));
                assertEquals(one, logged.remove());
            }
            secrets = List.of();
            assertEquals("500", post(genuine()));
            assertTrue(logged.remove().getMessage().contains("There is no secret"));
        } finally {
            logger.removeHandler(collector);
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void refusesToStartWithoutASecret() {
        for (List<String> unusable : List.of(List.<String>of(), List.of(""), List.of(SECRET, ""))) {
            assertThrows(
                    IllegalArgumentException.class, () -> new SitewireHttpHandler(() -> unusable, stored::add));
            assertThrows(IllegalArgumentException.class, () -> new SitewireServlet(() -> unusable, stored::add));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new SitewireHttpHandler(() -> secrets, stored::add, Options.DEFAULT, 0));
    }
}
