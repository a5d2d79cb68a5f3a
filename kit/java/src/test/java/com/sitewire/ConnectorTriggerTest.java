package com.sitewire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectorTriggerTest {
    private final Deque<Integer> statuses = new ArrayDeque<>();
    private final List<String> calls = new ArrayList<>();
    private HttpServer server;
    private URI trigger;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            calls.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            exchange.getResponseHeaders().set("Retry-After", "1");
            exchange.sendResponseHeaders(statuses.remove(), -1);
            exchange.close();
        });
        server.start();
        trigger = URI.create(
                "http://127.0.0.1:" + server.getAddress().getPort() + "/connectors/hook/con/token/");
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void repeatsACallThatWasNotAccepted() throws Exception {
        statuses.addAll(List.of(503, 202));
        long start = System.nanoTime();
        ConnectorTrigger.callTrigger(HttpClient.newHttpClient(), trigger);
        assertTrue(System.nanoTime() - start >= TimeUnit.SECONDS.toNanos(1), "Retry-After was not respected");
        String call = "POST /connectors/hook/con/token/";
        assertEquals(List.of(call, call), calls);
    }

    @Test
    void doesNotRepeatACallOfAReplacedAddress() {
        statuses.add(404);
        Exception e = assertThrows(
                IllegalStateException.class,
                () -> ConnectorTrigger.callTrigger(HttpClient.newHttpClient(), trigger));
        assertEquals(1, calls.size());
        assertFalse(e.getMessage().contains("token"), "the message has the URL, which is a secret");
    }

    @Test
    void readmeHasThisCode() throws Exception {
        String source = Files.readString(Path.of("src/test/java/com/sitewire/ConnectorTrigger.java"));
        String code = source.split(" *// README (begins|ends)\n")[1].stripTrailing().stripIndent();
        assertTrue(Files.readString(Path.of("README.md")).contains(code), "README.md has other code");
    }
}
