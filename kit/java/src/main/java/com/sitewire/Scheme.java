package com.sitewire;

/** Which of a delivery's headers are verified. */
public enum Scheme {
    /** The header {@code X-Sitewire-Signature}. */
    SITEWIRE("sitewire"),
    /**
     * The three headers of Standard Webhooks, which also sign a time, so that a captured request cannot be sent again
     * later.
     */
    STANDARD_WEBHOOKS("standard-webhooks");

    private final String text;

    Scheme(String text) {
        this.text = text;
    }

    /**
     * Returns the scheme of a name from a configuration.
     *
     * @param text {@code sitewire} or {@code standard-webhooks}
     * @return the scheme
     * @throws IllegalArgumentException if there is no such scheme
     */
    public static Scheme of(String text) {
        for (Scheme scheme : values()) {
            if (scheme.text.equals(text)) {
                return scheme;
            }
        }
        throw new IllegalArgumentException(
                "There is no scheme \"" + text + "\". Use sitewire or standard-webhooks.");
    }
}
