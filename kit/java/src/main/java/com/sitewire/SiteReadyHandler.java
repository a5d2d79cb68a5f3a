package com.sitewire;

/** What your application does with an event that was verified. */
@FunctionalInterface
public interface SiteReadyHandler {
    /**
     * Stores the event. It must be idempotent, with {@link SiteReady#siteUrl} as its key, change nothing if a greater
     * {@link SiteReady#delivery} is stored, and return within 10 seconds.
     *
     * @param event the content of the delivery
     * @throws Exception if the event was not stored: the sender repeats the delivery later
     */
    void handle(SiteReady event) throws Exception;
}
