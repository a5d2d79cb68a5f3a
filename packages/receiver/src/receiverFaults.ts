import type { AttemptError } from "@sitewire/contracts"
import {
  type Answer,
  dripBody,
  dripHeader,
  flood,
  gzipBomb,
  head,
  hintForEver,
  largeBody,
  later,
  raw,
} from "./faultyResponses.ts"

/** What is to be recorded of an attempt. `error` is null for a delivery that counts as made; `why` is in the detail. */
export type Expected = { error: AttemptError | null; status?: number; why?: string }

export type Fault = "expired" | "self-signed" | "wrong-name"

type Common = { description: string; expected: Expected }
export type Behaviour = Common &
  (
    | { kind: "answers"; answer: Answer }
    /** Speaks TLS with this fault in its certificate. */
    | { kind: "bad-certificate"; fault: Fault }
    | { kind: "never-accepts" }
  )

function answers(description: string, answer: Answer, expected: Expected): Behaviour {
  return { kind: "answers", description, expected, answer }
}

function badCertificate(fault: Fault, description: string, why: string): Behaviour {
  return { kind: "bad-certificate", description, expected: failed("tls", why), fault }
}

const made = (status: number): Expected => ({ error: null, status })
const refused = (status: number, why?: string): Expected => ({
  error: "status",
  status,
  ...(why ? { why } : {}),
})
const failed = (error: AttemptError, why: string): Expected => ({ error, why })

const noAnswer = failed("timeout", "the response was not complete")

const behaviours = {
  "no-content": answers("Answers 204, as it should.", head(204), made(204)),
  "server-error": answers("Answers 500.", head(500), refused(500)),
  "asks-to-wait": answers(
    "Answers 503 and asks for ten minutes (Retry-After).",
    head(503, { "retry-after": "600" }),
    refused(503),
  ),
  "never-accepts": {
    kind: "never-accepts",
    description: "Its queue of connections is full, so that none is ever made.",
    expected: failed("timeout", "still connecting"),
  },
  "never-answers": answers("Takes the request and says nothing.", () => {}, noAnswer),
  "drips-header": answers("Sends its head a byte a second.", dripHeader, noAnswer),
  "drips-body": answers("Answers 200 and sends its body a byte a second, for ever.", dripBody, made(200)),
  "infinite-body": answers(
    "Answers 200 and sends its body as fast as it is read, for ever.",
    flood,
    made(200),
  ),
  "gzip-bomb": answers("Answers 200 with 1 MB of gzip that unpacks to 1 GiB.", gzipBomb(), made(200)),
  "large-body": answers("Answers 200 with a body of 10 MB.", largeBody, made(200)),
  "redirects-elsewhere": answers(
    "Answers 301 to another host.",
    head(301, { location: "https://elsewhere.example/" }),
    refused(301, "https://elsewhere.example;"),
  ),
  "redirects-inside": answers(
    "Answers 302 to a private address where clouds keep credentials.",
    head(302, { location: "http://169.254.169.254/latest/meta-data/" }),
    refused(302, "http://169.254.169.254;"),
  ),
  "redirects-to-itself": answers(
    "Answers 307 to itself.",
    head(307, { location: "/" }),
    refused(307, "the same server"),
  ),
  "continues-unasked": answers(
    "Sends 100 Continue, which nobody asked for, and then 200.",
    raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"),
    failed("protocol", "an unexpected 1xx or upgrade"),
  ),
  "hints-for-ever": answers(
    "Sends 103 Early Hints for ever and no answer.",
    hintForEver,
    failed("protocol", "1xx responses"),
  ),
  "resets-after-body": answers(
    "Resets the connection when it has read the whole request.",
    ({ socket }) => void socket?.resetAndDestroy(),
    failed("reset", "ECONNRESET"),
  ),
  "half-closes": answers(
    "Ends its side of the connection without an answer and goes on reading.",
    ({ socket }) => void socket?.end(),
    failed("reset", "before its response was complete"),
  ),
  "slow-2xx": answers(
    "Answers 204 half a second after the time limit.",
    later((ms) => ms + 500),
    noAnswer,
  ),
  "late-2xx": answers(
    "Answers 204 after 95 % of the time limit.",
    later((ms) => 0.95 * ms),
    made(204),
  ),
  "invalid-http": answers(
    "Answers in another protocol (SSH).",
    raw("SSH-2.0-OpenSSH_9.9\r\n"),
    failed("protocol", "did not respond in HTTP/1.1"),
  ),
  "oversized-headers": answers(
    "Answers 200 with 1 MB of headers.",
    raw(`HTTP/1.1 200 OK\r\n${`x-large: ${"a".repeat(990)}\r\n`.repeat(1_000)}\r\n`),
    failed("protocol", "its headers are too large"),
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

/** Every way in which a partner's server has been seen, or is feared, to behave, with what must come of it. */
export const receiverFaults: Record<ReceiverFaultName, Behaviour> = behaviours

export const receiverFaultNames = Object.keys(behaviours) as ReceiverFaultName[]
