package sitewire.publish;

/**
 * A field breaks a rule, and nothing was sent. The message names the field, what is wrong and the remedy, but
 * contains no value.
 */
public final class InvalidSitePaidException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** The name of the field in JSON, or of the header. */
    private final String field;

    InvalidSitePaidException(String field, String wrong, String remedy) {
        super("site.paid was not published: " + field + " " + wrong + ". " + remedy);
        this.field = field;
    }

    /** The name of the field in JSON, or of the header. */
    public String field() {
        return field;
    }
}
