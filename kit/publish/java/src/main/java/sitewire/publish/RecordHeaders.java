package sitewire.publish;

/**
 * The optional headers of a record; null means that a header is not sent.
 *
 * @param correlation follows the event through all log lines: 1 to 200 printable ASCII characters
 * @param traceparent your trace, which the delivery continues (W3C Trace Context)
 */
public record RecordHeaders(String correlation, String traceparent) {
    /** No headers. */
    public static final RecordHeaders NONE = new RecordHeaders(null, null);
}
