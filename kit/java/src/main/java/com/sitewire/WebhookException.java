package com.sitewire;

/** A fault of what was received. Its message has no content of the request and no secret. */
public final class WebhookException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    private WebhookException(Fault fault, String message) {
        super(message);
        this.fault = fault;
    }

    /**
     * Returns why the delivery or request must be rejected.
     *
     * @return never null
     */
    public Fault fault() {
        return fault;
    }

    static WebhookException missing(String header) {
        return new WebhookException(
                Fault.MISSING,
                "The header " + header + " is missing or empty, so nothing proves who sent the request. "
                        + "Respond 401. If genuine requests fail so, let the proxy in front pass this header.");
    }

    static WebhookException malformed(String header, String form) {
        return new WebhookException(
                Fault.MALFORMED,
                "The header " + header + " does not have the form that the service sends: it must be " + form + ". "
                        + "Respond 401. If genuine requests fail so, let the proxy in front pass it unchanged.");
    }

    static WebhookException outdated(long toleranceSeconds) {
        return new WebhookException(
                Fault.OUTDATED,
                "The signed time is more than " + toleranceSeconds + " seconds from this machine's clock, so the "
                        + "request may be a captured one that is sent again. "
                        + "Respond 401. If genuine requests fail so, correct the clock.");
    }

    static WebhookException mismatch() {
        return new WebhookException(
                Fault.MISMATCH,
                "No secret made this signature: what is signed changed on the way, or another secret was used. "
                        + "Respond 401. If genuine requests fail so, compare the secret, and verify exactly what "
                        + "was sent.");
    }

    static WebhookException invalidBody(String reason) {
        return new WebhookException(
                Fault.INVALID_BODY,
                "The signature is valid, but the body is not a site.ready event: " + reason + ". "
                        + "Respond 400, and tell the operator of the service.");
    }
}
