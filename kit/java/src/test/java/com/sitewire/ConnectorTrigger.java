package com.sitewire;

import static java.net.http.HttpRequest.BodyPublishers.noBody;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The code of README.md. */
final class ConnectorTrigger {
    private ConnectorTrigger() {}

    // README begins
    /** Repeats the call until it was accepted, at most 8 times. */
    static void callTrigger(HttpClient client, URI triggerUrl) throws InterruptedException {
        var request = HttpRequest.newBuilder(triggerUrl).timeout(Duration.ofSeconds(15)).POST(noBody()).build();
        for (int attempt = 1; attempt <= 8; attempt++) {
            String wait = "60";
            try {
                var response = client.send(request, BodyHandlers.discarding());
                int status = response.statusCode();
                if (status == 202) return;
                if (status < 500 && status != 429) throw new IllegalStateException("The trigger responded " + status);
                wait = response.headers().firstValue("Retry-After").orElse(wait);
            } catch (IOException e) {} // No response: a repeated call does no harm.
            // A proxy may send a date.
            TimeUnit.SECONDS.sleep(wait.matches("[0-9]{1,5}") ? Long.parseLong(wait) : 60);
        }
        throw new IllegalStateException("The trigger accepted none of 8 calls.");
    }
    // README ends
}
