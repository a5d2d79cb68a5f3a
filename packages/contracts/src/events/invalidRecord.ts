/**
 * The headers that `site.paid.invalid` adds to an invalid record. Key and value are stored byte for byte, so
 * that the record can be replayed once the cause, such as an unknown channel, is fixed.
 */
export const invalidRecordHeaders = {
  reason: "sitewire-reason",
  topic: "sitewire-topic",
  partition: "sitewire-partition",
  offset: "sitewire-offset",
} as const
