package com.sitewire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class VectorsTest {
    @TestFactory
    Stream<DynamicTest> deliveries() throws Exception {
        List<Vector> vectors = new ArrayList<>(Vector.read("deliveries.json"));
        vectors.addAll(Vector.read("secrets.json"));
        // Those are for its own libraries.
        vectors.removeIf(vector -> vector.text("scheme").equals("standard-webhooks"));
        return vectors.stream().map(vector -> dynamicTest(vector.text("name"), () -> {
            SiteReady event = null;
            String fault = null;
            try {
                event = Sitewire.constructEvent(vector.body(), vector.headers(), vector.secrets(), vector.options());
            } catch (WebhookException e) {
                fault = e.fault().toString();
            } catch (IllegalArgumentException e) {
                assertTrue(vector.fields().containsKey("refused"), e::toString);
                return;
            }
            assertFalse(vector.fields().containsKey("refused"), vector.text("why"));
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
