package com.sitewire;

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
    /** Returns true after a call was accepted, or false after 8 that were not. */
    static boolean callTrigger(HttpClient client, URI triggerUrl) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(triggerUrl)
                .timeout(Duration.ofSeconds(15))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        for (int attempt = 1; attempt <= 8; attempt++) {
            int seconds = 60;
            try {
                var response = client.send(request, BodyHandlers.discarding());
                int status = response.statusCode();
                if (status == 202) {
                    return true;
                }
                if (status < 500 && status != 429) {
                    throw new IllegalStateException(
                            "The trigger responded " + status + "; 404: ask the owner for the current URL.");
                }
                String wait = response.headers().firstValue("Retry-After").orElse("");
                seconds = wait.matches("[0-9]{1,5}") ? Integer.parseInt(wait) : seconds;
            } catch (IOException e) {
                // There was no response. A repeated call does no harm.
            }
            TimeUnit.SECONDS.sleep(seconds);
        }
        return false;
    }
    // README ends
}
