import type { AttemptError } from "@sitewire/contracts"
import {
  dripBody,
  dripHeader,
  flood,
  gzipBomb,
  head,
  hintForEver,
  largeBody,
  later,
  type Respond,
  raw,
} from "./faultyResponses.ts"

/**
 * What the delivery attempt must record. `error` is null if the delivery succeeds. `why` is text that the
 * recorded explanation of the error must contain.
 */
export type Expected = { error: AttemptError | null; status?: number; why?: string }

export type Fault = "expired" | "self-signed" | "wrong-name"

type Common = { description: string; expected: Expected }
export type Behaviour = Common &
  (
    | { kind: "responds"; respond: Respond }
    | { kind: "bad-certificate"; fault: Fault }
    | { kind: "never-accepts" }
  )

function responds(description: string, respond: Respond, expected: Expected): Behaviour {
  return { kind: "responds", description, expected, respond }
}

function badCertificate(fault: Fault, description: string, why: string): Behaviour {
  return { kind: "bad-certificate", description, expected: failed("tls", why), fault }
}

const delivered = (status: number): Expected => ({ error: null, status })
const rejected = (status: number, why?: string): Expected => ({
  error: "status",
  status,
  ...(why ? { why } : {}),
})
const failed = (error: AttemptError, why: string): Expected => ({ error, why })

const noResponse = failed("timeout", "the response was not complete")

const behaviours = {
  "no-content": responds("Responds with 204, as it should.", head(204), delivered(204)),
  "server-error": responds("Responds with 500.", head(500), rejected(500)),
  "retry-after": responds(
    "Responds with 503 and asks for ten minutes (Retry-After).",
    head(503, { "retry-after": "600" }),
    rejected(503),
  ),
  "never-accepts": {
    kind: "never-accepts",
    description: "Its queue of connections is full, so that no connection is ever made.",
    expected: failed("timeout", "still connecting"),
  },
  "never-responds": responds("Reads the request and never responds.", () => {}, noResponse),
  "drips-header": responds("Sends its head one byte a second.", dripHeader, noResponse),
  "drips-body": responds(
    "Responds with 200 and sends its body one byte a second, for ever.",
    dripBody,
    delivered(200),
  ),
  "infinite-body": responds(
    "Responds with 200 and sends its body as fast as it is read, for ever.",
    flood,
    delivered(200),
  ),
  "gzip-bomb": responds(
    "Responds with 200 and 1 MB of gzip that unpacks to 1 GiB.",
    gzipBomb(),
    delivered(200),
  ),
  "large-body": responds("Responds with 200 and a body of 10 MB.", largeBody, delivered(200)),
  "redirects-elsewhere": responds(
    "Redirects to another host (301).",
    head(301, { location: "https://elsewhere.example/" }),
    rejected(301, "https://elsewhere.example;"),
  ),
  "redirects-inside": responds(
    "Redirects to the private address of cloud credentials (302).",
    head(302, { location: "http://169.254.169.254/latest/meta-data/" }),
    rejected(302, "http://169.254.169.254;"),
  ),
  "redirects-to-itself": responds(
    "Redirects to itself (307).",
    head(307, { location: "/" }),
    rejected(307, "the same server"),
  ),
  "continues-unasked": responds(
    "Sends an unexpected 100 Continue, and then 200.",
    raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
    delivered(200),
  ),
  "endless-early-hints": responds(
    "Sends 103 Early Hints for ever and no final response.",
    hintForEver,
    failed("protocol", "1xx responses"),
  ),
  "resets-after-body": responds(
    "Resets the connection when it has read the whole request.",
    ({ socket }) => void socket?.resetAndDestroy(),
    failed("reset", "ECONNRESET"),
  ),
  "half-closes": responds(
    "Ends its side of the connection without a response and continues to read.",
    ({ socket }) => void socket?.end(),
    failed("reset", "before its response was complete"),
  ),
  "slow-2xx": responds(
    "Responds with 204 half a second after the time limit.",
    later((ms) => ms + 500),
    noResponse,
  ),
  "late-2xx": responds(
    "Responds with 204 after 85 % of the time limit.",
    later((ms) => 0.85 * ms),
    delivered(204),
  ),
  "invalid-http": responds(
    "Responds in another protocol (SSH).",
    raw("SSH-2.0-OpenSSH_9.9\r\n"),
    failed("protocol", "did not respond in HTTP/1.1"),
  ),
  "oversized-headers": responds(
    "Responds with 200 and 1 MB of headers.",
    raw(`HTTP/1.1 200 OK\r\n${`x-large: ${"a".repeat(990)}\r\n`.repeat(1_000)}\r\n`),
    delivered(200),
  ),
  "expired-certificate": badCertificate(
    "expired",
    "Its certificate expired yesterday.",
    "the certificate has expired",
  ),
  "self-signed-certificate": badCertificate(
    "self-signed",
    "Its certificate is signed by itself.",
    "the certificate is self-signed",
  ),
  "wrong-name-certificate": badCertificate(
    "wrong-name",
    "Its certificate is for another name.",
    "the certificate is for another name",
  ),
} satisfies Record<string, Behaviour>

export type ReceiverFaultName = keyof typeof behaviours

export const receiverFaults: Record<ReceiverFaultName, Behaviour> = behaviours

export const receiverFaultNames = Object.keys(behaviours) as ReceiverFaultName[]
