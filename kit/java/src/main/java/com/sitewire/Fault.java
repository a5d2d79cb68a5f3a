package com.sitewire;

/** Why a delivery or request must be rejected. Faults are judged in the order of the constants. */
public enum Fault {
    /** A header is missing or empty. */
    MISSING("missing"),
    /** A header does not have the form that the service sends. */
    MALFORMED("malformed"),
    /** The signed time is too far from this machine's clock. */
    OUTDATED("outdated"),
    /** No secret made this signature of these bytes. */
    MISMATCH("mismatch"),
    /** The signature is valid, but the body is not a {@code site.ready} event. */
    INVALID_BODY("invalid-body");

    private final String text;

    Fault(String text) {
        this.text = text;
    }

    /**
     * Returns the name that the libraries of all languages use.
     *
     * @return such as {@code invalid-body}
     */
    @Override
    public String toString() {
        return text;
    }
}
