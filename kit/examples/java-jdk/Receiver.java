import static java.nio.charset.StandardCharsets.UTF_8;

import com.sitewire.SiteReady;
import com.sitewire.SitewireHttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * A receiver of site.ready deliveries. Run it with the environment variables PORT and SITEWIRE_SECRETS (one
 * secret, or several separated by commas).
 */
public class Receiver {
    public static void main(String[] arguments) throws Exception {
        String list = Optional.ofNullable(System.getenv("SITEWIRE_SECRETS")).orElse("");
        List<String> secrets = List.of(list.split(",", -1));

        // It stands for a table with the primary key site_url. To merge is an upsert: a repetition changes nothing, and a
        // correction replaces what is there. A late retry of what was corrected has a smaller delivery id, and is ignored.
        Map<String, SiteReady> sites = new ConcurrentHashMap<>();
        var webhook = new SitewireHttpHandler(
                () -> secrets, event -> sites.merge(event.siteUrl(), event, Receiver::newer));

        // Seconds. A connection that sends only the beginning of a request occupies a thread until then. This has an effect
        // only before the server is created.
        System.setProperty("sun.net.httpserver.maxReqTime", "10");
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(Executors.newFixedThreadPool(200));
        server.createContext("/webhook", webhook);
        // Only for the tests of this example: it is open to everybody, and escapes nothing.
        server.createContext("/sites", exchange -> {
            byte[] json = sites.values().stream()
                    .map(site -> "{\"site_url\":\"%s\",\"name\":\"%s\"}".formatted(site.siteUrl(), site.name()))
                    .collect(Collectors.joining(",", "[", "]"))
                    .getBytes(UTF_8);
            exchange.sendResponseHeaders(200, json.length);
            exchange.getResponseBody().write(json);
            exchange.close();
        });
        server.start();
    }

    private static SiteReady newer(SiteReady stored, SiteReady event) {
        return event.delivery().compareTo(stored.delivery()) < 0 ? stored : event;
    }
}
