/**
 * For all exporters. A process needs at most five concurrent exports: one that is under way when the process stops, and
 * the four batches that are then in a full queue. More (the default is 30) would only fill the memory: if
 * OTEL_EXPORTER_OTLP_TIMEOUT is longer than 30 s and the collector hangs, OpenTelemetry begins another export every 30 s.
 */
export const exporterOptions = { concurrencyLimit: 5 }
