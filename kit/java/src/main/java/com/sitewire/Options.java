package com.sitewire;

import java.time.Clock;
import java.time.Duration;
import java.util.Objects;

/**
 * Options of a verification. Begin with {@link #DEFAULT}.
 *
 * @param tolerance the largest difference between the clock and the signed time of a request to a source; default 5
 *     minutes
 * @param clock for requests to a source; default: this machine's clock
 * @param header the name of a delivery's signature header, if the operator runs the service under another name;
 *     default {@code X-Sitewire-Signature}
 */
public record Options(Duration tolerance, Clock clock, String header) {
    /** The defaults of all options. */
    public static final Options DEFAULT =
            new Options(Duration.ofMinutes(5), Clock.systemUTC(), "X-Sitewire-Signature");

    /**
     * Sets all options.
     *
     * @param tolerance as above
     * @param clock as above
     * @param header as above
     * @throws IllegalArgumentException if the tolerance is negative or the header is empty
     */
    public Options {
        Objects.requireNonNull(clock, "clock");
        if (tolerance.isNegative()) {
            throw new IllegalArgumentException(
                    "The tolerance is negative, so every request would be outdated. Use a positive duration.");
        }
        if (header.isEmpty()) {
            throw new IllegalArgumentException(
                    "The name of the signature header is empty. Leave it out for X-Sitewire-Signature.");
        }
    }

    /**
     * Changes the tolerance.
     *
     * @param tolerance the largest difference between the signed time and the clock
     * @return these options with another tolerance
     */
    public Options withTolerance(Duration tolerance) {
        return new Options(tolerance, clock, header);
    }

    /**
     * Changes the clock.
     *
     * @param clock such as {@link Clock#fixed} in tests
     * @return these options with another clock
     */
    public Options withClock(Clock clock) {
        return new Options(tolerance, clock, header);
    }

    /**
     * Changes the name of the signature header.
     *
     * @param header in any case
     * @return these options with another header
     */
    public Options withHeader(String header) {
        return new Options(tolerance, clock, header);
    }
}
