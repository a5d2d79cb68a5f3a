package com.sitewire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VectorsTest {
    @TestFactory
    Stream<DynamicTest> deliveries() throws Exception {
        return Vector.read("deliveries.json").stream().map(vector -> dynamicTest(vector.text("name"), () -> {
            SiteReady event = null;
            String fault = null;
            try {
                event = Sitewire.constructEvent(vector.body(), vector.headers(), vector.secrets(), vector.options());
            } catch (WebhookException e) {
                fault = e.fault().toString();
            }
            assertEquals(vector.text("fault"), fault, vector.text("why"));
            assertEquals(vector.event(), event);
        }));
    }

    @TestFactory
    Stream<DynamicTest> sources() throws Exception {
        return Vector.read("sources.json").stream().map(vector -> dynamicTest(vector.text("name"), () -> {
            String fault = null;
            try {
                Sitewire.verifySourceRequest(
                        vector.text("method"),
                        vector.text("url"),
                        vector.headers(),
                        vector.secrets(),
                        vector.options());
            } catch (WebhookException e) {
                fault = e.fault().toString();
            }
            assertEquals(vector.text("fault"), fault, vector.text("why"));
        }));
    }
}
