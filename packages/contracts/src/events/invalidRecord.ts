/**
 * `site.paid.invalid`: the refused record's key and value as they came, and why, in the record's headers. The value is
 * kept byte for byte, so that it can be replayed once the cause (an unknown channel, say) is mended.
 */
export const invalidRecordHeaders = {
  reason: "sitewire-reason",
  topic: "sitewire-topic",
  partition: "sitewire-partition",
  offset: "sitewire-offset",
} as const
