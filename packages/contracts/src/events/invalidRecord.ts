/** The header `correlation` of a record of site.paid or site.paid.invalid. Null if it is missing or invalid. */
export function readCorrelation({ headers }: { headers: Record<string, string> }): string | null {
  const { correlation } = headers
  return correlation !== undefined && /^[\x21-\x7e]{1,200}$/.test(correlation) ? correlation : null
}

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
  rejectedAt: "sitewire-rejected-at",
} as const

/**
 * When the event was rejected first, in milliseconds since the epoch. Null unless a replay has published it: then the time
 * follows it through site.paid, and is the time of its next record in site.paid.invalid.
 */
export function firstRejectedAt(headers: Record<string, string>): number | null {
  const at = Number(headers[invalidRecordHeaders.rejectedAt] ?? Number.NaN)
  return Number.isSafeInteger(at) && at > 0 && at <= Date.now() ? at : null
}
