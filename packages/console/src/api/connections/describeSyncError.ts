import { STATUS_CODES } from "node:http"

const reasons = new Map([
  ["timeout", "the source did not send its whole response in time"],
  ["late-start", "no connection to the source was ready in time"],
  ["dns", "the name of the source's host could not be resolved"],
  ["connect", "no connection to the source could be opened"],
  ["tls", "the TLS connection to the source failed: its certificate may be invalid"],
  ["reset", "the source closed the connection before the end of its response"],
  ["protocol", "the source's response was not valid HTTP"],
  ["blocked-address", "the source's address is not allowed"],
  ["too-large", "the content is larger than SYNC_MAX_BYTES"],
  [
    "site-full",
    "with this content, the site would store more than SITE_MAX_BYTES, so the earlier content stays. Let the source send less, delete connections of the site, or ask an operator for a higher limit. Contents that were replaced in the last ten minutes count",
  ],
  [
    "sealing-key",
    "Sitewire cannot decrypt the connection's credentials: a scheduler lacks their sealing key",
  ],
  ["storage", "Sitewire could not store the content"],
  ["internal", "an internal error of Sitewire, which the log of the scheduler describes"],
  ["lost", "the scheduler that ran it stopped before its end was recorded"],
  ["stopped", "the scheduler stopped"],
  ["busy", "the scheduler had no capacity for the source's host"],
  ["source-changed", "the connection was changed meanwhile"],
])

/** Why a sync ended without a result, for people. The error class itself, if it is not known. */
export function describeSyncError(error: string | null, status: number | null): string | null {
  if (error !== "status" || status === null) return error === null ? null : (reasons.get(error) ?? error)
  const text = STATUS_CODES[status]
  return `the source responded with ${text === undefined ? status : `${status} ${text}`}`
}
