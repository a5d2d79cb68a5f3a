/**
 * Headers that are added to an invalid record in `site.paid.invalid`. The record's key and value are stored
 * byte for byte, so that it can be replayed once the cause, such as an unknown channel, is fixed.
 */
export const invalidRecordHeaders = {
  reason: "sitewire-reason",
  topic: "sitewire-topic",
  partition: "sitewire-partition",
  offset: "sitewire-offset",
  time: "sitewire-time",
} as const
