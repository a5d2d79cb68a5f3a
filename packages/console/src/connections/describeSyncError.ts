import { STATUS_CODES } from "node:http"
import type { SyncError } from "@sitewire/contracts"

type Explanation = { reason: string; nextStep: string }

const askOperator = "Ask an operator: the log of the scheduler has the cause."
const askPartner = "Ask the partner why its server does not send the data."
/** Of an abandoned sync, which starts again. */
const nothing = "You need to do nothing: it is fetched again by itself."

const ofEach: Record<SyncError, Explanation> = {
  timeout: {
    reason: "the source did not send its whole response in time",
    nextStep: "Let the source respond faster, or send less.",
  },
  "late-start": {
    reason: "no connection to the source was ready in time",
    nextStep: "Check whether the source's server is overloaded.",
  },
  dns: {
    reason: "the name of the source's host could not be resolved",
    nextStep: "Check the host in the source's URL.",
  },
  connect: {
    reason: "no connection to the source could be opened",
    nextStep: "Check the host and the port in the source's URL, and whether its server runs.",
  },
  tls: {
    reason: "the TLS connection to the source failed: its certificate may be invalid",
    nextStep: "Let the partner check the certificate of the source's server.",
  },
  reset: {
    reason: "the source closed the connection before the end of its response",
    nextStep: "Ask the partner why the source's server closes connections.",
  },
  protocol: {
    reason: "the source's response was not valid HTTP",
    nextStep: "Check the port in the source's URL, or ask the partner about its server.",
  },
  "blocked-address": {
    reason: "the source's address is not allowed",
    nextStep: "Use a public https URL, or ask an operator to allow the address.",
  },
  "too-large": {
    reason: "the content is larger than a source may send (SYNC_MAX_BYTES)",
    nextStep: "Let the source send less, or ask an operator for a higher limit.",
  },
  encoding: {
    reason: "the source's response could not be decoded: its Content-Encoding is wrong or not supported",
    nextStep: "Ask the partner to send gzip, deflate or identity, and to state it in Content-Encoding.",
  },
  "site-full": {
    reason:
      "with this content, the site would store more than it may (SITE_MAX_BYTES), so the earlier content stays",
    nextStep:
      "Let the source send less, delete connections of the site, or ask an operator for a higher limit. Contents that were replaced in the last ten minutes count.",
  },
  "sealing-key": {
    reason: "Sitewire cannot decrypt the connection's credentials: a scheduler lacks their sealing key",
    nextStep: askOperator,
  },
  storage: { reason: "Sitewire could not store the content", nextStep: askOperator },
  internal: { reason: "there was an internal error of Sitewire", nextStep: askOperator },
  lost: { reason: "the scheduler that ran it stopped before its end was recorded", nextStep: nothing },
  stopped: { reason: "the scheduler stopped", nextStep: nothing },
  busy: { reason: "the scheduler had no capacity for the source's host", nextStep: nothing },
  "source-changed": { reason: "the connection was changed meanwhile", nextStep: nothing },
  stale: { reason: "a newer sync of the connection had started", nextStep: nothing },
  // The status is stored with this error, and describes it.
  status: { reason: "the source did not respond with a success", nextStep: askPartner },
}
const explanations = new Map(Object.entries(ofEach))

/** Why a sync ended without a result, and what the owner of the site can do, in sentences. Null: it has no error. */
export function describeSyncError(error: string | null, status: number | null): Explanation | null {
  if (error === null) return null
  if (error === "status" && status !== null) return describeStatus(status)
  return (
    explanations.get(error) ?? {
      reason: `there was an error that this console does not know (${error})`,
      nextStep: askOperator,
    }
  )
}

function describeStatus(status: number): Explanation {
  const text = STATUS_CODES[status]
  return {
    reason: `the source responded with ${text === undefined ? status : `${status} ${text}`}`,
    nextStep: afterStatus(status),
  }
}

function afterStatus(status: number): string {
  if (status <= 299)
    return "Ask the partner to respond with 200 and the whole data, or with 304 if nothing changed. The earlier data stays."
  if (status === 401 || status === 403)
    return "Set the credential that the source requires as a request header, or ask the partner for access."
  if (status === 404 || status === 410)
    return "Correct the source's URL, or ask the partner where its data is."
  if (status === 429) return "Ask the partner to allow one request a minute."
  if (status >= 500) return "Ask the partner when its server works again."
  if ([301, 302, 303, 307, 308].includes(status))
    return "Change the source to the URL to which it redirects: redirects are not followed."
  return askPartner
}
